/**
 * Tags, by which people mark resources.
 */
import { Type, trimmed } from './schemas.ts';
import { foldCase, writtenLine } from './written.ts';

export const Tag = trimmed(Type.String({ minLength: 1, maxLength: 50, examples: ['gift'] }));

/** The tags as they are stored; of tags that differ only in case or width, the first. */
export function distinctTags(tags: readonly string[]): string[] {
  const distinct = new Map<string, string>();
  for (const tag of tags.flatMap((each) => writtenLine(each) ?? [])) {
    const key = foldCase(tag);
    if (!distinct.has(key)) distinct.set(key, tag);
  }
  return [...distinct.values()];
}

/** The keys of a tag that is looked for, the one by which tags are stored first; the others are those of earlier releases. */
export function tagKeysOf(tag: string): string[] {
  const written = ['NFC', 'NFD'].map((form) => tag.normalize(form).trim().toLowerCase());
  return [...new Set([foldCase(tag), ...written])];
}
