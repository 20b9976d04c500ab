/**
 * Normalization of host names: equivalent spellings give one name, invalid ones null.
 */
import t from 'tap';
import { normalizeDomain, normalizeHost, wildcardOver } from '../host.ts';

const hosts: [input: string, normalized: string | null][] = [
  ['shop.example.com', 'shop.example.com'],
  ['SHOP.Example.COM', 'shop.example.com'],
  ['shop.example.com.', 'shop.example.com'],
  ['shop.example.com:8080', 'shop.example.com'],
  ['shop.example.com.:443', 'shop.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.xn--p1ai', 'xn--bcher-kva.xn--p1ai'],
  ['xn--a.com', null],
  ['xn--zzz--.com', null],
  ['shop.xn--0', null],
  ['shop。example', 'shop.example'],
  ['localhost', 'localhost'],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  [`${'a'.repeat(64)}.example`, null],
  [`${'a.'.repeat(124)}example`, null],
  ['', null],
  ['.', null],
  ['.example.com', null],
  ['shop..example.com', null],
  ['-shop.example.com', null],
  ['shop-.example.com', null],
  ['shop_1.example.com', null],
  ['*.example.com', null],
  ['127.0.0.1', null],
  ['127.1', null],
  ['[::1]:80', null],
  ['https://shop.example.com', null],
  ['shop.example.com/cart', null],
  ['shop.example.com#top', null],
  ['shop.example.com?x', null],
  ['shop.ex%61mple.com', null],
  ['user@shop.example.com', null],
  ['shop .example.com', null],
  ['shop\t.example.com', null],
  ['shop.example.com:port', null],
];

t.test('a host has one normalized form', async (t) => {
  for (const [input, normalized] of hosts) t.equal(normalizeHost(input), normalized, JSON.stringify(input));
});

t.test('a domain may begin with a wildcard of one label', async (t) => {
  const domains: [input: string, normalized: string | null][] = [
    ['*.Example.com.', '*.example.com'],
    ['*.bücher.example', '*.xn--bcher-kva.example'],
    ['example.com', 'example.com'],
    ['*', null],
    ['*.', null],
    ['*.*.example.com', null],
    ['shop.*.example.com', null],
    ['*shop.example.com', null],
  ];
  for (const [input, normalized] of domains) t.equal(normalizeDomain(input), normalized, JSON.stringify(input));
});

t.test('the wildcard over a host replaces its first label only', async (t) => {
  t.strictSame(wildcardOver('a.example.com'), { domain: '*.example.com', label: 'a' });
  t.strictSame(wildcardOver('a.b.example.com'), { domain: '*.b.example.com', label: 'a' });
  t.equal(wildcardOver('localhost'), null);
});
