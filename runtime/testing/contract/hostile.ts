/**
 * Hostile and malformed values, bodies and headers.
 */
import fc from 'fast-check';

/** The first half of a surrogate pair. */
const loneSurrogate = '\ud800';

/** Texts known to break software. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  `a\u0000b`,
  loneSurrogate,
  `${loneSurrogate}x`,
  '\u202e\u2066\ufeff',
  '\r\nSet-Cookie: a=b',
  "'; drop table tenants; --",
  "' or '1'='1",
  '%_\\',
  '$1',
  '{{7*7}}',
  '__proto__',
  'constructor',
  '../../../../etc/passwd',
  '%00%ff%2e%2e',
  '<script>alert(1)</script>',
  'null',
  'NaN',
  '1e400',
  '-0',
  '9'.repeat(400),
  '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c00',
  'urn:uuid:0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001',
  '2026-02-30T25:61:61Z',
  '-271821-04-20T00:00:00Z',
  'a'.repeat(70_000),
];

/** Characters with a meaning in SQL, patterns, JSON, paths, markup or formats. */
const hostileCharacters = [...'\'"`\\$%_*?+^|()[]{}<>&;:,./-#~! \t\n\0é'];

/** Values of all types. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 6, arbitrary: fc.string({ unit: fc.constantFrom(...hostileCharacters), minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(-0, -1, 0.1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, Number.MAX_SAFE_INTEGER),
  },
  { weight: 3, arbitrary: fc.constantFrom(null, true, [], {}, [[]], [null], { length: -1 }, { toString: null }) },
  { weight: 2, arbitrary: fc.constantFrom(JSON.parse('{"__proto__":{"polluted":true}}'), polluting()) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

function polluting(): object {
  return { constructor: { prototype: { polluted: true } } };
}

/** A body with one more member, which repeats the first name if there is one. */
function withMember(valid: unknown, text: (name: string) => string): string {
  const known = JSON.stringify(valid) ?? '{}';
  const inside = known.startsWith('{') ? known.slice(1, -1) : '';
  const [first = 'a'] = Object.keys((valid as object) ?? {});
  return `{${[inside, text(JSON.stringify(first))].filter(Boolean).join(',')}}`;
}

/** Unusual and malformed bodies, each derived from a valid one. */
export const hostileBodies: readonly ((valid: unknown) => string | Buffer)[] = [
  ...['', ' ', 'null', 'true', '0', '""', '[]', '{}'].map((text) => () => text),
  (valid) => `[${JSON.stringify(valid)}]`,
  (valid) => `\ufeff${JSON.stringify(valid)}`,
  // A duplicate name: the last one counts.
  (valid) => withMember(valid, (name) => `${name}:1`),
  (valid) => withMember(valid, () => '"__proto__":{"polluted":true}'),
  (valid) => withMember(valid, () => '"constructor":{"prototype":{"polluted":true}}'),
  (valid) => withMember(valid, (name) => `${name}:1e400`),
  (valid) => withMember(valid, (name) => `${name}:-0`),
  (valid) => withMember(valid, (name) => `${name}:${'9'.repeat(400)}`),
  (valid) => withMember(valid, (name) => `${name}:"\\ud800"`),
  (valid) => withMember(valid, (name) => `${name}:"\\u0000"`),
  (valid) => withMember(valid, (name) => `${name}:"${'x'.repeat(1_000_000)}"`),
  (valid) => withMember(valid, (name) => `${name}:${'['.repeat(5_000)}${']'.repeat(5_000)}`),
  (valid) => withMember(valid, (name) => `${name}:${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`),
  () => '['.repeat(100_000) + ']'.repeat(100_000),
  () => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28, 0xff, 0xfe, 0x80]), Buffer.from('"}')]),
  (valid) => Buffer.from(JSON.stringify(valid) ?? '{}', 'utf16le'),
  () => Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
];

/** Headers with arbitrary values of the bytes that HTTP allows. */
export const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom(
    'x-session-id',
    'cookie',
    'idempotency-key',
    'if-match',
    'if-none-match',
    'x-request-id',
    'accept',
    'accept-encoding',
    'accept-language',
    'content-encoding',
    'origin',
    'referer',
    'range',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-http-method-override',
    'x-tenant-slug',
    'x-hosting-secret',
  ),
  fc.oneof(
    fc.constantFrom(...hostileTexts).map((text) => text.slice(0, 3000).replaceAll(/[^\x20-\x7e\x80-\xff]/g, '')),
    fc.string({ maxLength: 300 }),
    fc.constantFrom('*', '"', 'W/"', '-1', 'gzip', 'a=b; a=c', '\xe9\xff', 'x'.repeat(256)),
  ),
  { maxKeys: 3, noNullPrototype: true },
);
