/// <reference path="./libraries.d.ts" />
/**
 * The fonts of PDFs, which are parts of the package. Each is read when the first text needs it: that of Japanese is larger
 * than all others together.
 */
import { readFileSync } from 'node:fs';
import { create, type Font } from 'fontkit';

const names = ['NotoSans', 'NotoSansArabic', 'NotoSansJP'] as const;
export type Family = (typeof names)[number];
export type Weight = 'Regular' | 'Bold';

/** The families in the order in which they are tried for a character. */
export function familiesOf(language: string): readonly Family[] {
  return language === 'ja' ? ['NotoSansJP', 'NotoSans', 'NotoSansArabic'] : names;
}

/** A file of the package's folder `assets`, which is beside the sources and beside the bundles. */
export function readAsset(name: string): Uint8Array {
  return readFileSync(new URL(`assets/${name}`, import.meta.resolve('@carton/invoice/package.json')));
}

export interface LoadedFont {
  bytes: Uint8Array;
  font: Font;
}

const loaded = new Map<string, LoadedFont>();

/** The font of a family with this weight; Japanese has one. */
export function fontOf(family: Family, weight: Weight): { name: string } & LoadedFont {
  const name = `${family}-${family === 'NotoSansJP' ? 'Regular' : weight}`;
  const known = loaded.get(name);
  if (known) return { name, ...known };
  const bytes = readAsset(`fonts/${name}.ttf`);
  const font = { bytes, font: create(bytes) };
  loaded.set(name, font);
  return { name, ...font };
}
