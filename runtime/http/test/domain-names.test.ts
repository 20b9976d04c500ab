/**
 * Classification of domains by name: public suffixes, reserved names and parents.
 */
import t from 'tap';
import { baseOfDomain, isPublicSuffix, isReservedDomain, withNamesAbove } from '../domain-names.ts';

t.test('public suffixes', async (t) => {
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

t.test('reserved names', async (t) => {
  const cases: [boolean, string[]][] = [
    [true, ['localhost', 'shop.localhost', 'shop.test', '*.shop.example', 'a.b.invalid']],
    [true, ['example.com', 'shop.example.net', '*.shop.example.org']],
    [false, ['myexample.com', 'shop.com', 'example.de', 'test.de', 'localhost.de', 'shop.local']],
  ];
  for (const [expected, domains] of cases) {
    for (const domain of domains) t.equal(isReservedDomain(domain), expected, domain);
  }
});

t.test('names above a domain', async (t) => {
  t.strictSame(withNamesAbove(baseOfDomain('*.a.b.com')), ['a.b.com', 'b.com', 'com']);
  t.strictSame(withNamesAbove('localhost'), ['localhost']);
});
