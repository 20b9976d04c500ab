/**
 * What is left of the HTML of pages.
 */
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import sanitizeHtml from '../pages/html.ts';
import { createPage, openBox } from './helpers.ts';

const box = await openBox(t);

t.test('text, tables, links and images stay as they are', async (t) => {
  for (const html of [
    '<h2>About <em>us</em></h2><p>Fish &amp; chips<br />since 1999</p><hr />',
    '<ul><li>One</li></ul><ol start="3"><li>Three</li><li value="7">Seven</li></ol><dl><dt>A</dt><dd>B</dd></dl>',
    '<table><caption>Sizes</caption><tr><th scope="row">M</th><td colspan="2">40</td></tr></table>',
    '<p><a href="/products/shirt">Shirt</a> <a href="https://example.com/?a=1&amp;b=2">Site</a></p>',
    '<p><a href="mailto:us@example.com">Mail</a> <a href="tel:+4930123">Call</a> <a href="#top">Top</a></p>',
    '<figure><img src="https://cdn.example.com/a.jpg" alt="A shirt" width="600" height="400" /></figure>',
    '<img src="/media/1/a.jpg" alt="" loading="lazy" />',
    '<p lang="ar" dir="rtl">مرحبا</p>',
  ]) {
    t.equal(sanitizeHtml(html), html);
  }
});

t.test('whatever could run or cover something is removed', async (t) => {
  for (const [html, expected] of [
    ['<script>alert(1)</script>a', 'a'],
    ['<SCRIPT SRC=//evil.example/x.js></SCRIPT>a', 'a'],
    ['<scr<script>ipt>alert(1)</script>', 'ipt&gt;alert(1)'],
    ['<style>* { display: none }</style>a', 'a'],
    ['<p onclick="alert(1)" style="position:fixed" class="menu" id="cart">a</p>', '<p>a</p>'],
    ['<img src=x onerror=alert(1)>', '<img src="x" />'],
    ['<img src="data:image/svg+xml;base64,AAAA">', '<img />'],
    ['<img src="//evil.example/pixel.gif">', '<img />'],
    ['<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
    ['<a href="JaVaScRiPt:alert(1)">a</a>', '<a>a</a>'],
    ['<a href=" java\tscript:alert(1)">a</a>', '<a>a</a>'],
    ['<a href="java&#10;script:alert(1)">a</a>', '<a>a</a>'],
    ['<a href="&#106;avascript:alert(1)">a</a>', '<a>a</a>'],
    ['<a href="\u0001javascript:alert(1)">a</a>', '<a>a</a>'],
    ['<a href="vbscript:x">a</a><a href="data:text/html,x">b</a>', '<a>a</a><a>b</a>'],
    ['<a href="//evil.example">a</a>', '<a>a</a>'],
    ['<iframe src="https://evil.example"></iframe><object data="x"></object><embed src="x">', ''],
    ['<form action="https://evil.example"><input name="password"><button>Go</button></form>', 'Go'],
    ['<svg><script>alert(1)</script><a xlink:href="javascript:alert(1)">a</a></svg>', '<a>a</a>'],
    ['<math><mtext><mglyph><style><img src=x onerror=alert(1)></style></mglyph></mtext></math>', ''],
    [
      '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
      '<p title="&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;"></p>',
    ],
    ['<textarea>Made &amp; sold</textarea> here', 'Made &amp; sold here'],
    ['<textarea><img src=x onerror=alert(1)></textarea>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['<textarea>&lt;script&gt;alert(1)&lt;/script&gt;</textarea>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['<textarea></textarea/><img src=x onerror=alert(1)>', '<img src="x" />'],
    ['<svg><textarea><img src=x onerror=alert(1)></textarea></svg>', '<img src="x" />'],
    ['<xmp><b>bold</b> &amp;</xmp>', '&lt;b&gt;bold&lt;/b&gt; &amp;amp;'],
    ['<xmp><script>alert(1)</script></xmp>a', '&lt;script&gt;alert(1)&lt;/script&gt;a'],
    ['<select><option>S</option><option>M</option></select>', '<div>S</div><div>M</div>'],
    ['<option>&lt;script&gt;alert(1)&lt;/script&gt;</option>', '<div>&lt;script&gt;alert(1)&lt;/script&gt;</div>'],
    ['<select><option><script>alert(1)</script>S</select>', '<div>S</div>'],
    ['<title>Bowl<img src=x onerror=alert(1)></title>', 'Bowl&lt;img src=x onerror=alert(1)&gt;'],
    ['<noembed><img src=x onerror=alert(1)></noembed>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['<noframes><img src=x onerror=alert(1)></noframes>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['<plaintext><img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['<listing>1 < 2</listing><datalist><option>A</option></datalist><label>Size</label>', '1 &lt; 2<div>A</div>Size'],
    ['<template><img src=x onerror=alert(1)></template>', '<img src="x" />'],
    ['<base href="https://evil.example"><meta http-equiv="refresh" content="0;url=x"><link rel="import" href="x">', ''],
    ['<!-- <p>hidden</p> -->a<![CDATA[b]]>', 'a'],
    ['<p>unclosed <b>bold', '<p>unclosed <b>bold</b></p>'],
    ['1 < 2 > 0', '1 &lt; 2 &gt; 0'],
  ] as const) {
    const safe = sanitizeHtml(html);
    t.equal(safe, expected, html);
    t.equal(sanitizeHtml(safe), safe, 'sanitised text stays as it is');
  }
});

t.test('a link to another window does not give it control of the page', async (t) => {
  const link = '<a href="https://example.com" target="_blank" rel="noopener noreferrer">a</a>';
  t.equal(sanitizeHtml('<a href="https://example.com" target="_blank">a</a>'), link);
  t.equal(sanitizeHtml('<a href="https://example.com" target="_blank" rel="opener">a</a>'), link);
  t.equal(sanitizeHtml('<a href="/a" target="_top">a</a>'), '<a href="/a">a</a>');
});

t.test('deep nesting is cut off', async (t) => {
  const deep = sanitizeHtml('<div>'.repeat(20_000));
  t.equal(deep, `${'<div>'.repeat(100)}${'</div>'.repeat(100)}`);
});

t.test('pages are sanitised when they are created and changed', async (t) => {
  const content = '<p onclick="alert(1)">a</p><script>alert(1)</script>';
  const page = await createPage(box, { title: 'Unsafe', content, status: 'published' });
  t.equal(page.content, '<p>a</p>');
  const path = `/admin/pages/${page.id}`;
  t.equal((await bodyOf(box.staff.patch(path, { content: `${content}b` }))).content, '<p>a</p>b');
  t.equal((await bodyOf(box.visitor().get('/pages/unsafe'))).content, '<p>a</p>b');
  t.equal((await bodyOf(box.staff.patch(path, { title: 'Still' }))).content, '<p>a</p>b');
  t.match(await box.staff.patch(path, { content: 'a'.repeat(100_001) }), { status: 400 });
  const { content: long } = await bodyOf(box.staff.patch(path, { content: `<p>${'&'.repeat(99_990)}</p>` }));
  t.equal(long.length, 5 * 99_990 + 7);
  t.equal((await bodyOf(box.staff.patch(path, { content: long }))).content, long, 'what is read can be written');
});
