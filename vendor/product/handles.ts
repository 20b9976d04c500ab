/**
 * Handles: names in addresses, made from titles.
 */
import { invalidField } from '@carton/runtime';

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** True for what reads as an id. */
export function looksLikeId(name: string): boolean {
  return uuid.test(name);
}

/**
 * A handle that reads as an id would name two things in one address.
 * @throws invalid_request (400)
 */
export function refuseIdAsHandle(handle: string | undefined): void {
  if (handle !== undefined && looksLikeId(handle)) throw invalidField('/handle', 'must not look like an id');
}

/** A title in the letters of a handle, at most 100 of them; `otherwise` for a title without any. */
export function handleFromTitle(title: string, otherwise: string): string {
  const letters = title.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  return shortened(letters.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-/, '')) || otherwise;
}

/** The handle of a copy, before it is made unique. */
export function handleOfCopy(handle: string): string {
  return `${shortened(handle)}-copy`;
}

/** Cut so that a number still fits behind it. */
function shortened(handle: string): string {
  return handle.slice(0, 100).replace(/-+$/, '');
}

/** The stem, or the stem with the lowest number from 2 on that is not taken. */
export function freeHandle(stem: string, taken: ReadonlySet<string>): string {
  if (!taken.has(stem) && !looksLikeId(stem)) return stem;
  for (let number = 2; ; number += 1) {
    const handle = `${stem}-${number}`;
    if (!taken.has(handle)) return handle;
  }
}
