/**
 * The territory of value added tax: places of a member state that are outside, and places elsewhere that are inside.
 */
import t from 'tap';
import { isMemberState, vatCountryOf, vatPlaceOf } from '../vat-territory.ts';

t.test('an address in a member state is in its territory', async (t) => {
  const inside: [country: string, postalCode: string | null, province?: string][] = [
    ['ES', '28001', 'Madrid'],
    ['ES', '07001', 'Illes Balears'],
    ['ES', null],
    ['FI', '00100'],
    ['GR', '630 87', 'Chalkidiki'],
    ['IT', '23042'],
    ['IT', '22060'],
    ['DE', '10115', 'Berlin'],
    ['FR', '75002', 'Paris'],
    ['FR', '20000', 'Corse'],
    ['PT', '9000-001', 'Madeira'],
    ['AT', '6691'],
  ];
  for (const [country, postalCode, province] of inside) {
    t.equal(vatPlaceOf({ country, postalCode, province }), country, `${country} ${postalCode}`);
  }
});

t.test('a place is outside by its postal code, however it is written, or by its province', async (t) => {
  const codes: [country: string, ...postalCodes: string[]][] = [
    ['ES', '35001', '38001', '51001', '52001', 'E-35001', 'ES 38700', '３５００１'],
    ['FI', '22100', 'FI-22100', 'AX-22100'],
    ['GR', '63086', '630 86', 'GR-630 86'],
    ['IT', '23041', '22061', 'I-23041'],
    ['DE', '78266', '27498', 'D-27498'],
    ['FR', '97110', '97200', '97300', '97400', '97600', '98800', 'F-97400'],
  ];
  for (const [country, ...postalCodes] of codes) {
    for (const postalCode of postalCodes)
      t.equal(vatPlaceOf({ country, postalCode }), null, `${country} ${postalCode}`);
  }
  const provinces: [country: string, ...provinces: string[]][] = [
    ['ES', 'Las Palmas', 'GC', 'TF', 'Canarias', 'ES-CE', 'Melilla'],
    ['FI', 'Åland', 'FI-01', 'AX'],
    ['GR', '69'],
    ['FR', 'Réunion', '974', 'RE', 'Guadeloupe', 'Nouvelle-Calédonie'],
  ];
  for (const [country, ...names] of provinces) {
    for (const province of names) t.equal(vatPlaceOf({ country, province }), null, `${country} ${province}`);
  }
});

t.test('Monaco counts as France, the Isle of Man as the United Kingdom, and goods in Belfast are inside', async (t) => {
  t.equal(vatPlaceOf({ country: 'MC', postalCode: '98000' }), 'FR');
  t.equal(vatPlaceOf({ country: 'FR', postalCode: '98000' }), 'FR');
  t.equal(vatPlaceOf({ country: 'IM', postalCode: 'IM1 1AA' }), null);
  t.equal(vatPlaceOf({ country: 'GB', postalCode: 'bt9 5ab' }), 'XI');
  t.equal(vatPlaceOf({ country: 'GB', postalCode: 'GB-BT9 5AB' }), 'XI');
  t.equal(vatPlaceOf({ country: 'GB', postalCode: 'B1 1AA' }), null);
  for (const country of ['AX', 'RE', 'CH', 'GB', null]) t.equal(vatPlaceOf({ country }), null, `${country}`);
  t.strictSame(['MC', 'IM', 'DE'].map(vatCountryOf), ['FR', 'GB', 'DE']);
  t.strictSame(['GR', 'MC', 'GB'].map(isMemberState), [true, false, false]);
});
