/**
 * Invoices as PDF: the contents of the page in all languages, for those who may read them, the same bytes each time; fonts
 * are in the file, and no text changes another.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf, missingPrograms } from '@carton/runtime/testing';
import t from 'tap';
import type { Issued } from '../electronic/model.ts';
import { renderInvoices } from '../page/markup.ts';
import { invoicePhrases } from '../page/phrases.ts';
import { type Sheet, sheetOf } from '../pdf/sheet.ts';
import draw from '../pdf/task.ts';
import { document } from './documents.ts';
import { customer, issue, openBox, placeTaxed } from './helpers.ts';

const content = document().content;
const lacks = missingPrograms('pdftotext', 'pdffonts', 'qpdf');
const file = (bytes: Uint8Array) => {
  const path = join(t.testdir(), 'invoice.pdf');
  writeFileSync(path, bytes);
  return path;
};
const drawn = (...issued: Issued[]) =>
  draw({ sheets: issued.map(sheetOf), title: 'Invoice INV-17', author: 'Demo Store SAS' });
const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: 'utf8' }).stdout;
const textOf = (bytes: Uint8Array) => run('pdftotext', '-layout', file(bytes), '-');

/** The words of a sheet, sorted. */
function wordsOfSheet({ store, heading, badge, remarks, facts, lines, taxes, totals, notes }: Sheet): string[] {
  const tables = [lines, taxes].flatMap(({ head, rows }) => [
    ...head,
    ...rows.flatMap((row) => [...row.cells, ...row.details]),
  ]);
  // The page repeats its heading above the lines.
  const texts = [
    store,
    badge,
    heading,
    heading,
    ...remarks,
    ...facts.flatMap((block) => [block.title, ...block.lines]),
    ...tables,
    ...totals.flat(),
    ...notes,
  ];
  return wordsOf(texts.join(' '));
}

const wordsOf = (text: string) =>
  text
    .replaceAll(/[\u2066-\u2069]/g, '')
    .split(/[\s\u00a0\u202f]+/)
    .filter(Boolean)
    .sort();

function wordsOfPage(issued: Issued): string[] {
  const [, body = ''] = renderInvoices([issued]).toString().split('<main class="sheet">');
  const text = body.replaceAll(/<\/?(?:p|h1|h2|div|th|td)\b[^>]*>/g, ' ').replaceAll(/<[^>]*>/g, '');
  return wordsOf(text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

const full = {
  suppliedOn: '2026-11-30',
  delivery: ['Bob', '5 Other Way'],
  note: 'Thank you',
  taxExemption: 'intra_community' as const,
  rounding: 3,
  buyer: { ...content.buyer, name: 'Countess', vatNumber: 'FR12345678901' },
  taxGroups: [[...(content.taxGroups[0] ?? []), { code: 'levy', label: 'Levy', rate: 2, included: false }], []],
  lines: [
    ...content.lines.map((line) => ({
      ...line,
      credit: -50,
      rounding: 3,
      variantTitle: 'M',
      parts: [{ group: 0, net: 2900, taxes: [551, 58] }],
    })),
    { ...(content.lines[0] as (typeof content.lines)[number]), quantity: 0, parts: [{ group: 1, net: 5, taxes: [] }] },
  ],
};

t.test('the sheet has the words of the page, in each language', async (t) => {
  for (const locale of Object.keys(invoicePhrases)) {
    const preceding = { number: 'INV-16', issuedOn: '2026-11-01' };
    const invoice = document({ ...full, locale, addsTo: preceding });
    const note = {
      ...document({ ...full, locale, corrects: preceding, reason: 'Broken' }),
      kind: 'credit_note',
    } as const;
    const services = full.lines.map((line) => ({ ...line, service: true, parts: [{ group: 1, net: 5, taxes: [] }] }));
    const exported = document({ ...full, locale, taxExemption: null, leavesUnion: true });
    exported.content.lines = [...full.lines, ...services];
    for (const issued of [invoice, note, exported])
      t.strictSame(wordsOfSheet(sheetOf(issued)), wordsOfPage(issued), locale);
  }
});

t.test('each language has its fonts in the file, and its words', { skip: lacks }, async (t) => {
  for (const [locale, phrases] of Object.entries(invoicePhrases)) {
    const bytes = await drawn(document({ ...full, locale }));
    t.equal(Buffer.compare(bytes, await drawn(document({ ...full, locale }))), 0, 'the same bytes');
    const fonts = run('pdffonts', file(bytes)).trim().split('\n').slice(2);
    t.strictSame(
      fonts.filter((font) => !/ yes yes yes /.test(font)),
      [],
      'all are embedded, as subsets, with their characters',
    );
    t.match(run('qpdf', '--check', file(bytes)), /No syntax or stream encoding errors/);
    const text = textOf(bytes);
    t.match(text, /INV-17/);
    if (locale === 'ar') t.match(fonts.join(), /NotoSansArabic-Regular/);
    else
      for (const phrase of [phrases.invoice, phrases.seller, phrases.net])
        t.ok(text.includes(phrase), `${locale}: ${phrase}`);
    t.equal(
      fonts.some((font) => font.includes('NotoSansJP')),
      locale === 'ja',
      'the large font is only where it is needed',
    );
  }
});

t.test('many lines are on numbered pages, each with the head of the table', { skip: lacks }, async (t) => {
  const lines = Array.from(
    { length: 60 },
    (_, at) => ({ ...(content.lines[0] as object), title: `Article ${at}` }) as never,
  );
  const pages = textOf(await drawn(document({ lines }), document())).split('\f');
  t.strictSame(
    pages.map((page) => [/Quantity/.test(page), /\d+ ?\/ ?\d+/.exec(page)?.[0]?.replaceAll(' ', '')]),
    [
      [true, '1/5'],
      [true, '2/5'],
      [true, '3/5'],
      [true, '4/5'],
      [true, '5/5'],
      [true, '1/1'],
      [false, undefined],
    ],
  );
  const found = pages.join().match(/Article \d+/g);
  t.strictSame(
    found,
    lines.map((_, at) => `Article ${at}`),
  );
});

t.test('texts change nothing but themselves', { skip: lacks }, async (t) => {
  const title = `a\u202e1.00\u2067 \u0000\u0007<b>(${'x'.repeat(10_000)}) \ud800`;
  const [goods, shipping] = content.lines as [(typeof content.lines)[number], (typeof content.lines)[number]];
  const text = textOf(await drawn(document({ lines: [{ ...goods, title }, shipping] })));
  t.ok(/^ *a1\.00 +3 +€10\.00/m.test(text), 'what turns texts is gone');
  t.ok(/Total +€36\.25/.test(text));
  const turned = sheetOf(document({ note: 'a\u202e\u2066b' })).notes[0];
  t.equal(turned, '\u2068ab\u2069', 'isolates are those of the sheet');
  t.equal((text.match(/x/g) ?? []).length >= 10_000, true, 'nothing is cut off');
});

t.test('staff and shoppers download it; others get it masked', async (t) => {
  const box = await openBox(t);
  const order = await placeTaxed(box, { customer: { ...customer, billing: 'Charles Babbage\nDorset Street\nFrance' } });
  const path = `/checkout/${order.id}/invoice/pdf`;
  t.match(await box.shopper().get(path), { status: 404, body: { code: 'not_found' } }, 'not issued yet');
  const { id } = await bodyOf(issue(box, order.id));
  const file = await box.staff.get(`/admin/invoices/${id}/files/pdf`);
  t.equal(file.headers.get('content-type'), 'application/pdf');
  t.equal(file.headers.get('content-disposition'), 'attachment; filename="INV-1.pdf"');
  const again = await box.staff.get(`/admin/invoices/${id}/files/pdf`);
  t.equal(again.headers.get('etag'), file.headers.get('etag'), 'the same bytes');
  const masked = await box.visitor().get(path);
  t.equal(masked.status, 200);
  t.equal(masked.headers.get('cache-control'), 'private, no-store');
  t.not(masked.headers.get('etag'), file.headers.get('etag'));
  if (!lacks) {
    const response = await fetch(`${box.url}${path}`);
    const text = textOf(Buffer.from(await response.arrayBuffer()));
    t.match(text, /Invoice INV-1/);
    t.strictSame(
      ['Charles Babbage', 'Dorset Street', 'ada@example.com'].filter((each) => text.includes(each)),
      [],
    );
  }
  const other = await box.openTenant();
  t.match(await other.visitor().get(path), { status: 404 });
});
