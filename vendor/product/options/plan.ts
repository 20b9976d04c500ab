/**
 * Turns the options of request bodies into rows, finds chosen values, and rejects what is inconsistent.
 */
import { foldCase, invalidField, newId, writtenLine } from '@carton/runtime';
import type { ChosenOption } from '../reads/schemas.ts';
import type { OptionDocument } from '../reads/store.ts';
import { titleOf } from '../reads/texts.ts';
import type { CreateProductOption } from './schemas.ts';

/**
 * Names and values are compared without regard to case, width and what is not shown: `size` and `Size` are one option, `ＸＬ`
 * and `XL` one value. Earlier releases told more of them apart.
 */
const nameKey = (name: string) => foldCase(writtenLine(name) ?? name.trim());

export function sameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other);
}

/** The element with a name: that with exactly this one, if earlier releases have stored several. */
function findNamed<T>(elements: readonly T[], nameOf: (element: T) => string, name: string): T | undefined {
  const same = elements.filter((element) => sameName(nameOf(element), name));
  return same.find((element) => nameOf(element) === name) ?? same[0];
}

/**
 * @param isStored whether a name is stored as it is: two such names may be the same only by today's comparison
 * @throws invalid_request (400) for the first duplicate
 */
export function rejectDuplicates(
  names: readonly string[],
  pointerOf: (index: number) => string,
  {
    detail = 'is a duplicate',
    isStored = () => false,
  }: { detail?: string; isStored?: (index: number) => boolean } = {},
): void {
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const first = seen.get(nameKey(name)) ?? index;
    const stay = isStored(index) && isStored(first) && names[first] !== name;
    if (first !== index && !stay) throw invalidField(pointerOf(index), detail);
    // The one that is not stored, so that others are compared with it.
    if (first === index || !isStored(index)) seen.set(nameKey(name), index);
  }
}

/**
 * The name of an option, or a value, without spaces around it. Earlier releases kept them, so that what is stored may have
 * some, or nothing else.
 * @throws invalid_request (400) for a blank one
 */
export function trimmedName(name: string, pointer: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw invalidField(pointer, 'must be a text that is not blank');
  return trimmed;
}

/** Options with ids for them and their values. @throws invalid_request (400) for a duplicate name or value */
export function planOptions(requested: readonly CreateProductOption[], pointer = '/options'): OptionDocument[] {
  const planned = requested.map((option, index) => planOption(option, `${pointer}/${index}`));
  rejectDuplicates(
    planned.map(({ name }) => name),
    (index) => `${pointer}/${index}/name`,
  );
  return planned;
}

/** @throws invalid_request (400) for a blank name or value, or a duplicate value */
export function planOption({ name, values }: CreateProductOption, pointer = ''): OptionDocument {
  const trimmed = values.map((value, index) => trimmedName(value, `${pointer}/values/${index}`));
  rejectDuplicates(trimmed, (index) => `${pointer}/values/${index}`);
  return {
    id: newId(),
    name: trimmedName(name, `${pointer}/name`),
    values: trimmed.map((value) => ({ id: newId(), value })),
  };
}

/**
 * The ids of a variant's chosen values, sorted: exactly one of each option.
 * @throws invalid_request (400) naming the invalid choice
 */
export function planChoice(
  options: readonly OptionDocument[],
  chosen: readonly ChosenOption[],
  pointer: string,
): string[] {
  const ids = new Map<string, string>();
  for (const [index, { name, value }] of chosen.entries()) {
    const option = findNamed(options, (candidate) => candidate.name, name);
    if (!option) throw invalidField(`${pointer}/${index}/name`, 'is not an option of this product');
    if (ids.has(option.id)) throw invalidField(`${pointer}/${index}/name`, 'is a duplicate');
    const found = findNamed(option.values, (candidate) => candidate.value, value);
    if (!found) throw invalidField(`${pointer}/${index}/value`, `is not a value of ${option.name}`);
    ids.set(option.id, found.id);
  }
  const missing = options.find(({ id }) => !ids.has(id));
  if (missing) throw invalidField(pointer, `must choose a value of ${missing.name}`);
  return [...ids.values()].sort();
}

/** The title of a variant whose values change: a default title follows them, any other stays. */
export function retitle(
  before: { title: string; options: readonly OptionDocument[]; optionValueIds: readonly string[] },
  after: { options: readonly OptionDocument[]; optionValueIds: readonly string[] },
): string {
  const isDefault = before.title === titleOf(before.options, before.optionValueIds);
  return isDefault ? titleOf(after.options, after.optionValueIds) : before.title;
}
