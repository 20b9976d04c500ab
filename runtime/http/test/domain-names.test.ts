/**
 * Who may hold which domain, as far as the names alone tell.
 */
import t from 'tap';
import { baseOfDomain, isPublicSuffix, isReservedDomain, withNamesAbove } from '../domain-names.ts';

t.test("what belongs to many is nobody's", async (t) => {
  const cases: [boolean, string[]][] = [
    [true, ['com', '*.com', 'example', '*.example', '*.test', '*.localhost', 'intranet', '*.intranet']],
    [true, ['co.uk', '*.co.uk', 'github.io', '*.github.io', 'xn--p1ai', '*.kawasaki.jp', 'any.ck']],
    [false, ['localhost', 'shop.example', '*.shop.example', 'example.com', '*.example.com', 'www.ck']],
    [false, ['carton.co.uk', '*.carton.co.uk', 'carton.github.io', 'city.kawasaki.jp', 'xn--bcher-kva.de']],
  ];
  for (const [expected, domains] of cases) {
    for (const domain of domains) t.equal(await isPublicSuffix(domain), expected, domain);
  }
});

t.test('a reserved name needs no proof', async (t) => {
  const cases: [boolean, string[]][] = [
    [true, ['localhost', 'shop.localhost', 'shop.test', '*.shop.example', 'a.b.invalid']],
    [true, ['example.com', 'shop.example.net', '*.shop.example.org']],
    [false, ['myexample.com', 'shop.com', 'example.de', 'test.de', 'localhost.de', 'shop.local']],
  ];
  for (const [expected, domains] of cases) {
    for (const domain of domains) t.equal(isReservedDomain(domain), expected, domain);
  }
});

t.test('a name has names above it', async (t) => {
  t.strictSame(withNamesAbove(baseOfDomain('*.a.b.com')), ['a.b.com', 'b.com', 'com']);
  t.strictSame(withNamesAbove('localhost'), ['localhost']);
});
