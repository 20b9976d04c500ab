/**
 * Rich texts: whatever is stored, a response has HTML that can be inserted as it is.
 */
import t from 'tap';
import type * as module from '../rich-text.ts';
import { hasRichText, loadSanitizer, richText, sanitized } from '../rich-text.ts';
import { nullable, object, Type } from '../schemas.ts';
import { serialize } from '../serializer.ts';

const Text = object({ html: richText('<p>a</p>'), other: Type.String() }, { $id: 'Text' });
const script = '<p>a<script>alert(1)</script></p>';

t.test('without the sanitiser a text is no HTML', async (t) => {
  // A module of its own: other tests of this process may have loaded the sanitiser.
  const { sanitized } = (await import(`../rich-text.ts?${'without'}`)) as typeof module;
  t.equal(sanitized(script), '&lt;p&gt;a&lt;script&gt;alert(1)&lt;/script&gt;&lt;/p&gt;');
});

t.test('they are sanitised wherever a schema has them', async (t) => {
  await loadSanitizer();
  const write = (schema: Parameters<typeof serialize>[0], value: unknown) => JSON.parse(serialize(schema, value));
  const stored = { html: script, other: script };
  const safe = { html: '<p>a</p>', other: script };
  t.strictSame(write(Text, stored), safe);
  t.strictSame(write(Type.Array(Text), [stored]), [safe]);
  t.strictSame(write(Type.Array(Text.properties.html), [script, 'b']), ['<p>a</p>', 'b']);
  t.strictSame(write(object({ text: nullable(Text) }), { text: stored }), { text: safe });
  t.strictSame(write(object({ text: nullable(Text) }), { text: null }), { text: null });
  t.strictSame(write(object({ html: nullable(Text.properties.html) }), { html: script }), { html: '<p>a</p>' });
  t.strictSame(write(object({ html: Type.Optional(Text.properties.html) }), {}), {});
  const Either = Type.Union([Text, Type.Array(Text)]);
  t.strictSame(write(Either, stored), safe, 'within a union');
  t.throws(() => serialize(Text, { html: 1, other: '' }));
});

t.test('texts of all kinds', async (t) => {
  await loadSanitizer();
  for (const [html, safe] of [
    ['', ''],
    ['Fish and chips', 'Fish and chips'],
    ['Fish & chips > 2 &lt;script>', 'Fish & chips > 2 &lt;script>'],
    ['<b>Fish</b> & chips', '<b>Fish</b> &amp; chips'],
    ['2 < 3', '2 &lt; 3'],
    ['<b>a', '<b>a</b>'],
    ['<img src=x onerror=alert(1)>', '<img src="x" />'],
    ['<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
    ['<svg><script>alert(1)</script></svg>', ''],
    ['<p style="position:fixed" class="a" id="b">a</p>', '<p>a</p>'],
    ['<iframe src="https://evil.example"></iframe>', ''],
    ['<textarea>Made here</textarea> <xmp>A</xmp>', 'Made here A'],
    ['<form action="https://evil.example"><input></form>', ''],
  ] as const) {
    t.equal(sanitized(html), safe, html);
    t.equal(sanitized(sanitized(html)), safe, `${html} twice`);
  }
});

t.test('schemas with rich texts are found', async (t) => {
  t.ok([Text, Type.Array(Text), nullable(Text), object({ items: Type.Array(Text) })].every(hasRichText));
  t.notOk([undefined, Type.String(), object({ html: Type.String() })].some(hasRichText));
});
