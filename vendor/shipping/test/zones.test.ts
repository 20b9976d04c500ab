/**
 * Which zone an address is in, and which zones are ambiguous.
 */
import {
  areAmbiguous,
  breadthOf,
  checkedPattern,
  matchesPostal,
  type PostalPattern,
  parsePostalPattern,
} from '@carton/region';
import { exactly } from '@carton/runtime/testing';
import fc from 'fast-check';
import t from 'tap';
import { ambiguousPlace, isProvinceUnknown, type ZonePlace, zoneOf } from '../zones/places.ts';

const place = (zoneId: string, country: string, province: string | null, postalCode: string | null): ZonePlace => ({
  ...{ zoneId, country, province, postalCode },
});
const pattern = (text: string) => parsePostalPattern('DE', text) as PostalPattern;

t.test('the most specific zone wins, in any order', async (t) => {
  const places = [
    place('germany', 'DE', null, null),
    place('bavaria', 'DE', 'BY', null),
    place('berlin', 'DE', null, '10000-19999'),
    place('mitte', 'DE', null, '101*'),
    place('square', 'DE', null, '10178'),
    place('half', 'DE', null, '10000-14999'),
    place('france', 'FR', null, null),
    place('britain', 'GB', null, null),
    place('london', 'GB', null, 'E*'),
    place('city', 'GB', null, 'EC1*'),
    place('america', 'US', null, null),
    place('manhattan', 'US', null, '10001-10282'),
    place('islands', 'ES', null, '35*'),
    place('valley', 'AT', null, '6691'),
    place('riga', 'LV', null, '1001-1084'),
    place('latvia', 'LV', null, 'LV*'),
    place('azores', 'PT', null, '9000-9999'),
    place('manaus', 'BR', null, '69000-69299'),
    place('amsterdam', 'NL', null, '1000-1999'),
    place('dam', 'NL', null, '1012*'),
  ];
  const cases: [country: string, province: string | null, postalCode: string | null, zone: string | null][] = [
    ['DE', null, null, 'germany'],
    ['DE', 'by', '80331', 'bavaria'],
    ['DE', 'DE-BY', null, 'bavaria'],
    ['DE', 'BY', '17000', 'berlin'],
    ['DE', null, '15000', 'berlin'],
    ['DE', null, '14999', 'half'],
    ['DE', null, '10000', 'half'],
    ['DE', null, '09999', 'germany'],
    ['DE', null, '20000', 'germany'],
    ['DE', null, '10199', 'mitte'],
    ['DE', null, ' 10 178 ', 'square'],
    ['DE', null, '1000', 'germany'],
    ['DE', null, 'D-10178', 'square'],
    ['DE', null, 'DE 10178', 'square'],
    ['ES', null, 'ES-35001', 'islands'],
    ['AT', null, 'A-6691', 'valley'],
    ['LV', null, 'LV-1010', 'riga'],
    ['LV', null, 'LV-5001', 'latvia'],
    ['PT', null, '9000-017', 'azores'],
    ['PT', null, '9999-999', 'azores'],
    ['PT', null, '8999-999', null],
    ['BR', null, '69299-999', 'manaus'],
    ['BR', null, '69300-000', null],
    ['NL', null, '1011 AB', 'amsterdam'],
    ['NL', null, 'NL 1999 ZZ', 'amsterdam'],
    ['NL', null, '1012 AB', 'dam'],
    ['NL', null, '101', null],
    ['DE', null, '1000A', 'germany'],
    ['FR', null, '10178', 'france'],
    ['GB', null, 'EC1A 1BB', 'city'],
    ['GB', null, 'ec1a1bb', 'city'],
    ['GB', null, 'EC2A 1BB', 'london'],
    ['GB', null, 'SW1A 1AA', 'britain'],
    ['US', 'NY', '10001-1234', 'manhattan'],
    ['US', 'NY', '10283', 'america'],
    ['IT', null, '10178', null],
  ];
  for (const [country, province, postalCode, zone] of cases) {
    const message = `${country} ${province} ${postalCode}`;
    t.equal(zoneOf(places, { country, province, postalCode }), zone, message);
    t.equal(zoneOf(places.toReversed(), { country, province, postalCode }), zone, `${message}, reversed`);
  }
});

t.test('the zone of a province has those that it contains, and the smaller one wins', async (t) => {
  const places = [
    place('spain', 'ES', null, null),
    place('canaries', 'ES', 'CN', null),
    place('tenerife', 'ES', 'TF', null),
    place('port', 'ES', null, '35*'),
    // As an earlier release has stored it.
    place('bavaria', 'DE', 'BAVARIA', null),
    place('kyushu', 'JP', '40', null),
    place('balearics', 'ES', 'PM', null),
    place('kent', 'GB', 'KEN', null),
    place('britain', 'GB', null, null),
  ];
  const cases: [
    country: string,
    province: string | null,
    postalCode: string | null,
    zone: string | null,
    unknown: boolean,
  ][] = [
    ['ES', 'Las Palmas', null, 'canaries', false],
    ['ES', 'GC', '35001', 'port', false],
    ['ES', 'Islas Canarias', null, 'canaries', false],
    ['ES', 'Tenerife', null, 'tenerife', false],
    ['ES', 'Madrid', null, 'spain', false],
    ['ES', 'Atlantis', null, 'spain', true],
    ['ES', 'Atlantis', '35001', 'port', false],
    ['ES', null, null, 'spain', false],
    ['DE', 'Bayern', null, 'bavaria', false],
    ['DE', 'BAVARIA', null, 'bavaria', false],
    ['DE', 'Hesse', null, null, false],
    ['JP', '福岡県', null, 'kyushu', false],
    ['JP', 'Atlantis', null, null, true],
    ['ES', 'Islas Baleares', null, 'balearics', false],
    ['GB', 'England', null, 'britain', true],
    ['GB', 'Scotland', null, 'britain', false],
    ['GB', 'Kent', null, 'kent', false],
  ];
  for (const [country, province, postalCode, zone, unknown] of cases) {
    const address = { country, province, postalCode };
    const message = `${country} ${province} ${postalCode}`;
    t.equal(zoneOf(places, address), zone, message);
    t.equal(zoneOf(places.toReversed(), address), zone, `${message}, reversed`);
    t.equal(isProvinceUnknown(places, address), unknown, message);
  }
  t.ok(ambiguousPlace(place('other', 'DE', 'BY', null), places), 'a name that was stored is the same place');
});

t.test('what is a pattern', async (t) => {
  const cases: [text: string, parsed: PostalPattern | null][] = [
    ['ec1 *', { kind: 'prefix', code: 'EC1' }],
    ['10000 - 19999', { kind: 'range', from: '10000', to: '19999' }],
    ['00-950', { kind: 'code', code: '00950' }],
    ['１０１１５', { kind: 'code', code: '10115' }],
    ['1012 AB', { kind: 'code', code: '1012AB' }],
    ['19999-10000', null],
    ['*', null],
    ['1*5', null],
    ['10115?', null],
    ['Ä1', null],
  ];
  for (const [text, parsed] of cases) t.strictSame(parsePostalPattern('DE', text), parsed, text);
});

t.test('British codes are compared with the space before their last three characters', async (t) => {
  const inside: [pattern: string, stored: string, codes: string[], others: string[]][] = [
    ['KW15*', 'KW15*', ['KW15 1AA', 'kw151aa'], ['KW1 5EA', 'KW15EA']],
    ['PA67*', 'PA67*', ['PA67 6DH'], ['PA6 7LN']],
    ['SE1 *', 'SE1 *', ['SE1 9AB', 'SE19AB', 'se1-9ab'], ['SE10 9AB', 'SE1P 5AA']],
    ['SE1*', 'SE1*', ['SE1 9AB', 'SE10 9AB', 'SE1P 5AA'], ['SE2 9AB']],
    ['KW1 5*', 'KW1 5*', ['KW1 5EA', 'KW15EA'], ['KW15 1AA', 'KW15 5EA']],
    ['kw1-5*', 'KW1 5*', ['KW1 5EA'], ['KW15 1AA']],
    ['KW151*', 'KW15 1*', ['KW15 1AA'], ['KW15 2AA']],
    ['EC1A1B*', 'EC1A 1B*', ['EC1A 1BB'], ['EC1A 1CB']],
    ['M11A*', 'M1 1A*', ['M1 1AE', 'M11AE'], ['M11 1AE']],
    ['W1A*', 'W1A*', ['W1A 1AA'], ['W1 1AA']],
    ['EC1 A*', 'EC1A*', ['EC1A 1BB'], ['EC1 1BB']],
    ['KW151AA', 'KW15 1AA', ['KW15 1AA', 'KW151AA', 'GB-KW15 1AA'], []],
    ['GB KW15 1AA', 'KW15 1AA', ['KW151AA'], []],
    ['BF1*', 'BF1*', ['BF1 2AB'], []],
    ['GIR0AA', 'GIR 0AA', ['GIR 0AA'], []],
  ];
  for (const [text, stored, codes, others] of inside) {
    t.equal(checkedPattern('GB', text, '/postalCode'), stored, text);
    // Also without its space, as earlier releases stored it: what is left of KW1 5* is KW15*, another pattern.
    for (const each of stored.length < 7 ? [stored] : [stored, stored.replace(' ', '')]) {
      const places = [place('zone', 'GB', null, each)];
      for (const code of codes)
        t.equal(zoneOf(places, { country: 'GB', province: null, postalCode: code }), 'zone', code);
      for (const code of others) {
        t.equal(zoneOf(places, { country: 'GB', province: null, postalCode: code }), null, `${code} in ${each}`);
      }
    }
  }
  const at = (country: string, postalCode: string) => ({ country, province: null, postalCode });
  t.equal(zoneOf([place('zone', 'JE', null, 'JE2*')], at('JE', 'JE2 3AB')), 'zone');
  t.equal(zoneOf([place('zone', 'IM', null, 'IM9 1*')], at('IM', 'IM91 1AA')), null);
  t.equal(zoneOf([place('zone', 'GG', null, 'GY10*')], at('GG', 'GY1 0AA')), null);
  t.equal(zoneOf([place('zone', 'NL', null, '1012 A*')], at('NL', '1012AB')), 'zone', 'codes of other countries');
  const orkney = place('orkney', 'GB', null, 'KW15*');
  t.equal(ambiguousPlace(place('wick', 'GB', null, 'KW1 5*'), [orkney]), null);
  t.equal(ambiguousPlace(place('wick', 'GB', null, 'KW15 1*'), [place('old', 'GB', null, 'KW151*')])?.zoneId, 'old');
  const zones = [place('wide', 'GB', null, 'SE1*'), place('narrow', 'GB', null, 'SE1 *')];
  t.equal(zoneOf(zones, at('GB', 'SE1 9AB')), 'narrow');
  t.equal(zoneOf(zones, at('GB', 'SE10 9AB')), 'wide');
});

t.test('places of other zones are ambiguous only if neither is more specific', async (t) => {
  const cases: [one: (string | null)[], other: (string | null)[], ambiguous: boolean][] = [
    [[null, null], [null, null], true],
    [['BY', null], ['BY', null], true],
    [['BY', null], ['BE', null], false],
    [['BY', null], [null, null], false],
    [[null, '1*'], [null, null], false],
    [[null, '1*'], ['BY', null], false],
    [[null, '1*'], [null, '1*'], true],
    [[null, '1*'], [null, '10*'], false],
    [[null, '10115'], [null, '10115'], true],
    [[null, '10115'], [null, '10115*'], false],
    [[null, '10115'], [null, '10115-10115'], false],
    [[null, '10000-19999'], [null, '15000-24999'], true],
    [[null, '10000-19999'], [null, '15000-25000'], false],
    [[null, '10000-19999'], [null, '20000-29999'], false],
    [[null, '10000-19999'], [null, '1*'], true],
    [[null, '10000-19999'], [null, '2*'], false],
    [[null, '10000-19999'], [null, '10*'], false],
    [[null, '1000-1999'], [null, '1*'], true],
    [[null, '1000-1999'], [null, '10000-19999'], true],
    [[null, '1000-1999'], [null, '10000-19998'], false],
    [[null, '10-10'], [null, '10*'], true],
    [[null, '10-11'], [null, '10*'], false],
    [[null, '1000-1999'], [null, '10000*'], false],
    [[null, '1000-1999'], [null, 'A*'], false],
  ];
  const at = (zoneId: string, [province = null, postalCode = null]: (string | null)[]) =>
    place(zoneId, 'DE', province, postalCode);
  for (const [one, other, ambiguous] of cases) {
    const message = `${one} and ${other}`;
    t.equal(ambiguousPlace(at('a', one), [at('b', other)]) !== null, ambiguous, message);
    t.equal(ambiguousPlace(at('b', other), [at('a', one)]) !== null, ambiguous, `${message}, reversed`);
    t.equal(ambiguousPlace(at('a', one), [at('a', other)]), null, `${message}, of one zone`);
    t.equal(ambiguousPlace(at('a', one), [{ ...at('b', other), country: 'AT' }]), null, `${message}, of two countries`);
  }
});

t.test('patterns are ambiguous exactly if a code matches both and they match as many', async () => {
  const digits = (length: number) => fc.integer({ min: 0, max: 10 ** length - 1 });
  const code = (value: number, length: number) => String(value).padStart(length, '0');
  const patterns = fc.oneof(
    digits(3).map((value) => code(value, 3)),
    fc.integer({ min: 1, max: 3 }).chain((length) => digits(length).map((value) => `${code(value, length)}*`)),
    fc
      .integer({ min: 1, max: 3 })
      .chain((length) => fc.tuple(fc.constant(length), digits(length), digits(length)))
      .map(([length, one, other]) => `${code(Math.min(one, other), length)}-${code(Math.max(one, other), length)}`),
  );
  const all = Array.from({ length: 1000 }, (_, value) => code(value, 3));
  fc.assert(
    fc.property(patterns, patterns, (one, other) => {
      const [a, b] = [pattern(one), pattern(other)];
      const isShared = all.some((key) => matchesPostal(a, key) && matchesPostal(b, key));
      const isSameBreadth = breadthOf(a, 3) === breadthOf(b, 3);
      // Longer codes match a prefix as well.
      const expected = isShared && isSameBreadth;
      return areAmbiguous(a, b) === expected;
    }),
    { numRuns: 3000 },
  );
});

t.test('a pattern that no code of its country matches is refused', async (t) => {
  const cases: [country: string, text: string, stored: string | null][] = [
    ['PT', '9000-9999', '9000-9999'],
    ['BR', '69000-69299', '69000-69299'],
    ['NL', '1000-1999', '1000-1999'],
    ['NL', '1011 ab', '1011AB'],
    ['GB', 'BT*', 'BT*'],
    ['GB', 'SW1A-1AA', 'SW1A 1AA'],
    ['GB', 'BT1-BT9', null],
    ['GB', 'BT1', null],
    ['GB', '1000-1999', null],
    ['US', '90210', '90210'],
    ['US', '902*', '902*'],
    ['US', '00501-99950', '00501-99950'],
    ['US', '90210-1234', '90210'],
    ['US', '10001-1234-10282-9999', '10001-10282'],
    ['US', '902101*', null],
    ['DE', 'D-78266', '78266'],
    // Shorter than what all codes of the country begin with.
    ...['1*', '11*', '9*', '11-13'].map((text): [string, string, string] => ['IR', text, text]),
    ...['9*', '94*', '94-94'].map((text): [string, string, string] => ['LI', text, text]),
    ['MP', '969*', '969*'],
    ['VA', '00*', '00*'],
    ['SM', '4*', '4*'],
    ['PR', '0*', '0*'],
    ['AX', '2*', '2*'],
    ['VA', '1*', null],
    ['LI', '10-93', null],
    // Hyphens within codes do not matter, and the country is before both.
    ['PL', '00-001-04-999', '00001-04999'],
    ['PL', '00-001 - 04-999', '00001-04999'],
    ['PL', '00-001', '00001'],
    ['BR', '01000-000-05999-999', '01000000-05999999'],
    ['JP', '900-0000-907-9999', '9000000-9079999'],
    ['LU', 'L-1000-L-1999', '1000-1999'],
    ['AD', 'AD100-AD500', '100-500'],
    ['PL', '04-999-00-001', null],
    ['DE', '00000-99999', '00000-99999'],
    ['DE', '100000-199999', null],
    ['LV', 'LV-1010', '1010'],
    ['LV', 'LV*', 'LV*'],
    ['AD', 'AD500', 'AD500'],
    ['HK', '999077', '999077'],
    ['JP', '810-0001', '8100001'],
  ];
  const check = (country: string, text: string) => {
    try {
      return checkedPattern(country, text, '/postalCode');
    } catch (error) {
      t.match(error, { errors: exactly([{ pointer: '/postalCode' }]) }, `${country} ${text}`);
      return null;
    }
  };
  for (const [country, text, stored] of cases) t.equal(check(country, text), stored, `${country} ${text}`);
});
