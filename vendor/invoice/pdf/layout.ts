/// <reference path="./libraries.d.ts" />
/**
 * Draws sheets on pages of A4. Places are measured from the side where lines begin, so that sheets in Arabic are mirrored.
 */
import type PDFDocument from 'pdfkit';
import type { Sheet, SheetBlock, SheetTable } from './sheet.ts';
import { type Style, type TextLine, Typesetter } from './text.ts';

const margin = 48;
const footer = 30;
const normal: Style = { size: 9.5, weight: 'Regular' };
const small: Style = { size: 8, weight: 'Regular' };
const bold: Style = { size: 9.5, weight: 'Bold' };
const label: Style = { size: 8.5, weight: 'Bold' };
const colours = { text: '#1a1a1a', soft: '#5f5f5f', rule: '#c8c8c8' };
/** The height of a line and the place of its base line in it, in sizes of its text. Arabic needs more than Latin. */
const [lineHeight, baseLine] = [1.45, 1.08];

/** A part of the width: from the side where lines begin, and its width. */
interface Column {
  from: number;
  width: number;
  atEnd: boolean;
}

/** Draws a sheet on new pages. */
export class Page {
  readonly #document: PDFDocument;
  readonly #sheet: Sheet;
  readonly #text: Typesetter;
  readonly #width: number;
  #y = 0;

  constructor(document: PDFDocument, sheet: Sheet) {
    this.#document = document;
    this.#sheet = sheet;
    this.#text = new Typesetter(document, sheet);
    this.#document.addPage();
    this.#width = document.page.width - 2 * margin;
    this.#y = margin;
  }

  draw(): void {
    const { store, badge, heading, remarks, facts, lines, taxes, totals, notes } = this.#sheet;
    const whole = { from: 0, width: this.#width, atEnd: false };
    const half = this.#width * 0.65;
    this.#row([
      [this.#lines(store, { size: 14, weight: 'Bold' }, half), { ...whole, width: half }],
      [this.#lines(badge, label, this.#width - half), { from: half, width: this.#width - half, atEnd: true }],
    ]);
    this.#y += 14;
    this.#paragraph(heading, { size: 17, weight: 'Bold' });
    for (const remark of remarks) this.#paragraph(remark, normal, colours.soft);
    this.#y += 12;
    this.#facts(facts);
    this.#table(lines, [0.42, 0.1, 0.17, 0.13, 0.18], heading);
    this.#y += 16;
    this.#table(taxes, [0.46, 0.18, 0.18, 0.18], heading);
    this.#y += 16;
    this.#totals(totals);
    for (const note of notes) {
      this.#y += 14;
      this.#paragraph(note, normal);
    }
  }

  #lines(text: string, style: Style, width: number): TextLine[] {
    return this.#text.linesOf(text, style, width);
  }

  get #bottom(): number {
    return this.#document.page.height - margin - footer;
  }

  #newPage(): void {
    this.#document.addPage();
    this.#y = margin;
  }

  #rule(colour = colours.rule): void {
    this.#document
      .lineWidth(0.6)
      .strokeColor(colour)
      .moveTo(margin, this.#y)
      .lineTo(margin + this.#width, this.#y)
      .stroke();
  }

  #place({ from, width, atEnd }: Column) {
    return { x: margin + (this.#sheet.isRightToLeft ? this.#width - from - width : from), width, atEnd };
  }

  #paragraph(text: string, style: Style, colour = colours.text): void {
    this.#row([[this.#lines(text, style, this.#width), { from: 0, width: this.#width, atEnd: false }]], colour);
  }

  /**
   * Draws the lines of cells side by side. What fits on a page is not divided.
   * @param again draws what is repeated on each further page
   */
  #row(cells: [lines: readonly TextLine[], column: Column][], colour = colours.text, again = () => {}): void {
    const count = Math.max(0, ...cells.map(([lines]) => lines.length));
    const heights = Array.from({ length: count }, (_, at) =>
      Math.max(...cells.map(([lines]) => (lines[at]?.style.size ?? 0) * lineHeight)),
    );
    const height = heights.reduce((sum, each) => sum + each, 0);
    const next = () => {
      this.#newPage();
      again();
    };
    if (this.#y + height > this.#bottom && height < this.#bottom - 2 * margin) next();
    for (const [at, each] of heights.entries()) {
      if (this.#y + each > this.#bottom) next();
      for (const [lines, column] of cells) {
        const line = lines[at];
        if (!line) continue;
        this.#document.fillColor(line.style === small ? colours.soft : colour);
        this.#text.draw(line, this.#place(column), this.#y + line.style.size * baseLine);
      }
      this.#y += each;
    }
  }

  #facts(blocks: readonly SheetBlock[]): void {
    const gap = 14;
    const width = (this.#width - gap * (blocks.length - 1)) / blocks.length;
    this.#row(
      blocks.map(({ title, lines }, at) => [
        [...this.#lines(title, label, width), ...lines.flatMap((line) => this.#lines(line, normal, width))],
        { from: at * (width + gap), width, atEnd: false },
      ]),
    );
    this.#y += 20;
  }

  #table({ head, rows }: SheetTable, shares: readonly number[], heading: string): void {
    const gap = 8;
    let from = 0;
    const columns = shares.map((share, at): Column => {
      const column = { from, width: share * this.#width - (at < shares.length - 1 ? gap : 0), atEnd: at > 0 };
      from += share * this.#width;
      return column;
    });
    const cellsOf = (texts: readonly string[], style: Style): [TextLine[], Column][] =>
      texts.map((text, at) => {
        const column = columns[at] as Column;
        return [text === '' ? [] : this.#lines(text, style, column.width), column];
      });
    const drawHead = () => {
      this.#row(cellsOf(head, label), colours.soft);
      this.#y += 3;
      this.#rule();
      this.#y += 5;
    };
    const again = () => {
      this.#paragraph(heading, label, colours.soft);
      this.#y += 8;
      drawHead();
    };
    if (this.#y + 60 > this.#bottom) this.#newPage();
    drawHead();
    for (const { cells, details } of rows) {
      const drawn = cellsOf(cells, normal);
      const [[first, column]] = drawn as [[TextLine[], Column]];
      first.push(...details.flatMap((detail) => this.#lines(detail, small, column.width)));
      this.#row(drawn, colours.text, again);
      this.#y += 4;
      this.#rule();
      this.#y += 5;
    }
  }

  #totals(totals: readonly [label: string, amount: string][]): void {
    const width = this.#width * 0.45;
    const from = this.#width - width;
    const height = totals.length * bold.size * lineHeight + 20;
    if (this.#y + height > this.#bottom) this.#newPage();
    for (const [at, [text, amount]] of totals.entries()) {
      const style = at === totals.length - 1 ? { ...bold, size: 11 } : normal;
      this.#row([
        [this.#lines(text, style, width / 2), { from, width: width / 2, atEnd: false }],
        [this.#lines(amount, style, width / 2), { from: from + width / 2, width: width / 2, atEnd: true }],
      ]);
      this.#y += 3;
    }
  }

  /** Draws the number of each page of the sheet, and of how many. */
  drawFooters(first: number, count: number): void {
    const half = this.#width / 2;
    const y = this.#document.page.height - margin;
    for (let at = 0; at < count; at++) {
      this.#document.switchToPage(first + at);
      this.#document.fillColor(colours.soft);
      const pages = `\u2068${at + 1} / ${count}\u2069`;
      for (const [text, atEnd] of [
        [this.#sheet.heading, false],
        [pages, true],
      ] as const) {
        const [line] = this.#lines(text, small, half);
        if (line) this.#text.draw(line, this.#place({ from: atEnd ? half : 0, width: half, atEnd }), y);
      }
    }
  }
}
