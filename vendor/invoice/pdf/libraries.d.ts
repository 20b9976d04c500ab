/**
 * Types of libraries that bring none: the parts that are used.
 */
declare module 'pdfkit' {
  export interface Options {
    size: 'A4';
    margin: number;
    bufferPages: boolean;
    autoFirstPage: boolean;
    /** None: the library's own are not embedded. */
    font: '';
    pdfVersion: '1.7';
    subset: 'PDF/A-3b';
    lang: string;
    info: Record<string, string | Date>;
  }
  export interface TextOptions {
    lineBreak: false;
    features?: readonly string[];
    baseline: 'alphabetic';
  }
  export default class PDFDocument extends AsyncIterableStream {
    constructor(options: Options);
    readonly page: { width: number; height: number };
    registerFont(name: string, bytes: Uint8Array): this;
    font(name: string): this;
    fontSize(points: number): this;
    fillColor(colour: string): this;
    strokeColor(colour: string): this;
    lineWidth(points: number): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    stroke(): this;
    widthOfString(text: string, options: TextOptions): number;
    text(text: string, x: number, y: number, options: TextOptions): this;
    addPage(): this;
    switchToPage(index: number): this;
    bufferedPageRange(): { start: number; count: number };
    appendXML(xml: string): void;
    file(bytes: Uint8Array, options: Record<string, string | Date>): object;
    ref(data: Record<string, unknown>): { end(bytes?: Uint8Array): void };
    _addColorOutputIntent: () => void;
    readonly _root: { data: Record<string, unknown> };
    end(): void;
  }
  class AsyncIterableStream {
    [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array>;
  }
}

declare module 'fontkit' {
  export interface Font {
    hasGlyphForCodePoint(codePoint: number): boolean;
  }
  export function create(bytes: Uint8Array): Font;
}

declare module 'linebreak' {
  export default class LineBreaker {
    constructor(text: string);
    nextBreak(): { position: number; required: boolean } | null;
  }
}

declare module 'bidi-js' {
  export interface Bidi {
    getEmbeddingLevels(text: string, direction: 'ltr' | 'rtl'): { levels: Uint8Array; paragraphs: unknown[] };
    getReorderSegments(
      text: string,
      levels: { levels: Uint8Array; paragraphs: unknown[] },
      start: number,
      end: number,
    ): [start: number, end: number][];
    getMirroredCharacter(character: string): string | null;
  }
  export default function bidiFactory(): Bidi;
}
