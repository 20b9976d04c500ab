/// <reference path="./libraries.d.ts" />
/**
 * Sets texts in any direction: breaks them into lines, orders the parts of a line as they are read (Unicode, UAX #9), and
 * finds a font that has each character.
 */
import bidiFactory from 'bidi-js';
import LineBreaker from 'linebreak';
import type PDFDocument from 'pdfkit';
import { type Family, familiesOf, fontOf, type Weight } from './fonts.ts';

export interface Style {
  /** Points. */
  size: number;
  weight: Weight;
}

/** A line of a text: its characters in the order of the text, each with its level of direction. */
export interface TextLine {
  text: string;
  levels: Uint8Array;
  style: Style;
}

/** Characters with the same font and direction. */
interface Run {
  text: string;
  level: number;
  font: string;
}

const bidi = bidiFactory();
/** What has an effect, and no form: marks and isolates, which have done their work; controls, which have none. */
const formless = /[^\P{Cc}\t\n\r]|[\u00ad\u200b\u200e\u200f\u061c\u2028-\u202e\u2060-\u2069\ufeff]/u;
const isJoiner = (character: string) => character === '\u200c' || character === '\u200d';
const isRightToLeftScript = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const isLetter = /[\p{L}\p{N}]/u;

/**
 * Options of the library. It sets words one by one, each once, from left to right; with a list of features, even an empty
 * one, it sets the text as a whole.
 */
const byWords = { lineBreak: false, baseline: 'alphabetic' } as const;
const asWhole = { ...byWords, features: [] } as const;
const optionsFor = ({ level }: Run) => (level % 2 === 1 ? asWhole : byWords);

export class Typesetter {
  readonly #document: PDFDocument;
  readonly #families: readonly Family[];
  readonly #direction: 'ltr' | 'rtl';
  readonly #registered = new Set<string>();
  readonly #widths = new Map<string, number>();

  constructor(document: PDFDocument, { language, isRightToLeft }: { language: string; isRightToLeft: boolean }) {
    this.#document = document;
    this.#families = familiesOf(language);
    this.#direction = isRightToLeft ? 'rtl' : 'ltr';
  }

  /** The lines of a text in this width, in points. Words that are longer are broken anywhere. */
  linesOf(text: string, style: Style, width: number): TextLine[] {
    return text
      .toWellFormed()
      .split(/\r\n?|[\n\u2028\u2029]/)
      .flatMap((paragraph) => this.#linesOfParagraph(paragraph.replaceAll('\t', ' '), style, width));
  }

  #linesOfParagraph(text: string, style: Style, width: number): TextLine[] {
    if (text === '') return [{ text, levels: new Uint8Array(), style }];
    const { levels } = bidi.getEmbeddingLevels(text, this.#direction);
    const lines: TextLine[] = [];
    let start = 0;
    let used = 0;
    const end = (at: number) => {
      const line = text.slice(start, at).trimEnd();
      lines.push({ text: line, levels: levels.slice(start, start + line.length), style });
      start = at;
      used = 0;
    };
    const breaker = new LineBreaker(text);
    let from = 0;
    for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) {
      const part = text.slice(from, next.position);
      const needed = this.#widthOf(part.trimEnd(), style);
      if (used > 0 && used + needed > width) end(from);
      if (needed > width) {
        for (const character of part) {
          const own = this.#widthOf(character, style);
          if (used > 0 && used + own > width) end(from);
          used += own;
          from += character.length;
        }
      } else {
        used += this.#widthOf(part, style);
      }
      from = next.position;
    }
    if (start < text.length) end(text.length);
    return lines;
  }

  #widthOf(text: string, style: Style): number {
    const key = `${style.weight} ${style.size} ${text}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known;
    const level = isRightToLeftScript.test(text) ? 1 : 0;
    const width = this.#runsOf({ text, levels: new Uint8Array(text.length).fill(level), style }).reduce(
      (sum, run) => sum + this.#widthOfRun(run, style),
      0,
    );
    this.#widths.set(key, width);
    return width;
  }

  #widthOfRun(run: Run, { size }: Style): number {
    return this.#document.font(run.font).fontSize(size).widthOfString(run.text, optionsFor(run));
  }

  /** Draws a line between two places, from the start or at the end in the direction of the sheet; `y` is its base line. */
  draw(line: TextLine, { x, width, atEnd }: { x: number; width: number; atEnd: boolean }, y: number): void {
    const runs = inVisualOrder(this.#runsOf(line)).map((run) => ({ ...run, width: this.#widthOfRun(run, line.style) }));
    const whole = runs.reduce((sum, run) => sum + run.width, 0);
    const isRight = atEnd === (this.#direction === 'ltr');
    let at = isRight ? x + width - whole : x;
    for (const run of runs) {
      this.#document.font(run.font).fontSize(line.style.size).text(run.text, at, y, optionsFor(run));
      at += run.width;
    }
  }

  #runsOf({ text, levels, style }: TextLine): Run[] {
    const runs: Run[] = [];
    let at = 0;
    for (const character of text) {
      const level = levels[at] ?? 0;
      at += character.length;
      if (formless.test(character)) continue;
      const last = runs.at(-1);
      const shown = level % 2 === 1 ? (bidi.getMirroredCharacter(character) ?? character) : character;
      const found = this.#fontFor(shown, style.weight, isLetter.test(shown) ? undefined : last?.font);
      if (found === null && isJoiner(character)) continue;
      const font = found ?? this.#fontFor('?', style.weight, undefined) ?? '';
      const drawn = found === null ? '?' : shown;
      if (last && last.font === font && last.level === level) last.text += drawn;
      else runs.push({ text: drawn, level, font });
    }
    return runs.map(asDrawn);
  }

  /** The first font that has a character, first that of the text before it; null if none has. */
  #fontFor(character: string, weight: Weight, before: string | undefined): string | null {
    const code = character.codePointAt(0) as number;
    let found: string | null = null;
    for (const family of this.#families) {
      const { name, bytes, font } = fontOf(family, weight);
      if (!font.hasGlyphForCodePoint(code)) continue;
      if (!this.#registered.has(name)) this.#document.registerFont(name, bytes);
      this.#registered.add(name);
      found ??= name;
      if (before === undefined || name === before) return name;
      // Later fonts are not read for a sign that this one has.
      if (before !== undefined && this.#registered.size === 1) return found;
    }
    return found;
  }
}

/** The library reverses what has letters of a script from right to left; the rest is reversed here. */
function asDrawn({ text, level, font }: Run): Run {
  const isReversed = level % 2 === 1 && !isRightToLeftScript.test(text);
  return { text: isReversed ? [...text].reverse().join('') : text, level, font };
}

/** Runs from left to right: those of a level and above are reversed, from the highest to the lowest odd one (L2). */
function inVisualOrder(runs: readonly Run[]): Run[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let start = 0; start < ordered.length; start++) {
      let end = start;
      while (end < ordered.length && (ordered[end] as Run).level >= level) end++;
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = end;
    }
  }
  return ordered;
}
