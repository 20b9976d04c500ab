/**
 * Tags, by which people mark resources.
 */
import { Type } from './schemas.ts';

export const Tag = Type.String({ minLength: 1, maxLength: 50, pattern: '\\S', examples: ['gift'] });

/** The tags without surrounding spaces; of tags that differ only in case, the first. */
export function distinctTags(tags: readonly string[]): string[] {
  const distinct = new Map<string, string>();
  for (const tag of tags.map((each) => each.trim())) {
    const key = tag.toLowerCase();
    if (!distinct.has(key)) distinct.set(key, tag);
  }
  return [...distinct.values()];
}
