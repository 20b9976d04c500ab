/**
 * Which zone an address is in, and which zones are ambiguous.
 */
import { areAmbiguous, breadthOf, matchesPostal, type PostalPattern, parsePostalPattern } from '@carton/region';
import fc from 'fast-check';
import t from 'tap';
import { ambiguousPlace, isProvinceUnknown, type ZonePlace, zoneOf } from '../zones.ts';

const place = (zoneId: string, country: string, province: string | null, postalCode: string | null): ZonePlace => ({
  ...{ zoneId, country, province, postalCode },
});
const pattern = (text: string) => parsePostalPattern(text) as PostalPattern;

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
    ['SW1A 1AA', { kind: 'code', code: 'SW1A1AA' }],
    ['19999-10000', null],
    ['*', null],
    ['1*5', null],
    ['10115?', null],
    ['Ä1', null],
  ];
  for (const [text, parsed] of cases) t.strictSame(parsePostalPattern(text), parsed, text);
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
    [[null, '1000-1999'], [null, '10000-19999'], false],
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
      .tuple(digits(3), digits(3))
      .map(([one, other]) => `${code(Math.min(one, other), 3)}-${code(Math.max(one, other), 3)}`),
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
