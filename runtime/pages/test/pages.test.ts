/**
 * Pages escape every value, name their language, and allow neither scripts nor subresources.
 */
import t from 'tap';
import { html } from '../html.ts';
import { renderPage } from '../page.ts';

t.test('values are escaped, markup is not', async (t) => {
  const hostile = `<script>alert("1")</script> & 'x'`;
  const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;';
  t.equal(html`<p title="${hostile}">${hostile}</p>`.markup, `<p title="${escaped}">${escaped}</p>`);
  const items = ['<a>', '<b>'].map((each) => html`<li>${each}</li>`);
  t.equal(html`<ul>${items}</ul>`.markup, '<ul><li>&lt;a&gt;</li><li>&lt;b&gt;</li></ul>');
  t.equal(html`${0}|${null}|${undefined}|${false}|${''}|${['<', [html`<i>`]]}`.markup, '0|||||&lt;<i>');
});

t.test('a page has the direction of its language and a strict policy', async (t) => {
  const page = renderPage({ language: 'ar-EG', title: '</title><script>', body: html`<p>1</p>` });
  t.match(page.text, /^<!doctype html>\n<html lang="ar-EG" dir="rtl">/);
  t.match(page.text, '<title>&lt;/title&gt;&lt;script&gt;</title>');
  t.match(
    page.policy,
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  const images = ['https://cdn.example/logo.png?a;script-src *', 'https://cdn.example/other.png'];
  const withImages = renderPage({ language: 'de', title: 'Order', body: html``, images });
  t.match(withImages.text, '<html lang="de" dir="ltr">');
  t.match(withImages.policy, "; img-src https://cdn.example; base-uri 'none'");
});
