/**
 * The style sheet of pages. Logical properties serve both directions of text.
 */
export const pageStyles = `
:root { color-scheme: light; --ink: #1c1d21; --soft: #61646d; --line: #dfe1e6; --wash: #f5f6f8; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--wash); color: var(--ink); font: 400 1rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
main { max-width: 46rem; margin: 2.5rem auto; padding: 2.5rem; background: #fff; border: 1px solid var(--line); border-radius: .75rem; }
header { display: flex; flex-wrap: wrap; gap: 1rem 2rem; justify-content: space-between; align-items: flex-start; padding-block-end: 1.5rem; border-block-end: 2px solid var(--ink); }
header img { display: block; max-height: 3.5rem; max-width: 14rem; }
.store { font-size: 1.25rem; font-weight: 600; margin: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 2rem 0 .25rem; }
h2 { font-size: .8125rem; font-weight: 600; letter-spacing: .02em; color: var(--soft); margin: 0 0 .375rem; }
p { margin: 0; }
.soft { color: var(--soft); font-size: .875rem; }
.badge { display: inline-block; padding: .125rem .625rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .875rem; font-weight: 600; white-space: nowrap; }
.facts { display: flex; flex-wrap: wrap; gap: 1.25rem 2.5rem; margin-block: 1.5rem 2rem; }
.facts > div { flex: 1 1 11rem; min-width: 0; }
.sheet .facts { gap: 1.25rem; }
.sheet .facts > div { flex-basis: 8.5rem; }
.nowrap { white-space: nowrap; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .625rem 0; text-align: start; vertical-align: top; }
th + th, th + td, td + td { padding-inline-start: 1rem; }
thead th { font-size: .8125rem; font-weight: 600; color: var(--soft); border-block-end: 1px solid var(--line); }
tbody tr { border-block-end: 1px solid var(--line); break-inside: avoid; }
tbody th { font-weight: 500; }
.number { text-align: end; white-space: nowrap; }
.totals { width: auto; min-width: min(100%, 22rem); margin-block-start: 1.25rem; margin-inline-start: auto; break-inside: avoid; }
.totals tr { border: 0; }
.totals th, .totals td { padding-block: .25rem; font-weight: 400; }
.totals tr:has(+ .sum) > * { padding-block-end: .75rem; }
.totals .sum > * { padding-block-start: .75rem; border-block-start: 2px solid var(--ink); font-size: 1.125rem; font-weight: 700; }
.taxes { margin-block-start: 1.75rem; break-inside: avoid; }
.printed { display: none; }
.note { break-inside: avoid; margin-block-start: 2rem; padding-block-start: 1rem; border-block-start: 1px solid var(--line); white-space: pre-line; }
@media (max-width: 40rem) {
  main { margin: 0; padding: 1.25rem; border: 0; border-radius: 0; }
  .wide { display: none; }
}
@page { size: A4; margin: 18mm 16mm; }
@page sheet { @bottom-right { content: counter(page) " / " counter(pages); font: 9pt system-ui, sans-serif; } }
@media print {
  .sheet { page: sheet; }
  .sheet + .sheet { break-before: page; }
  .printed { display: table-row; }
  body { background: #fff; font-size: 10.5pt; }
  main { max-width: none; margin: 0; padding: 0; border: 0; border-radius: 0; }
  thead { display: table-header-group; }
}
`;
