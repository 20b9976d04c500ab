/**
 * Schemas of tags.
 */
import { Tag, Type, withOptions } from '@carton/runtime';

/** The maximum number of tags of a product. */
const maxTags = 50;

export const Tags = Type.Array(Tag, {
  maxItems: maxTags,
  description: 'Spaces around a tag are removed, and of tags that differ only in case the first stays',
  examples: [['summer']],
});

/** The query parameter by which lists are filtered. */
export const TagParameter = withOptions(Tag, { description: 'A tag, whatever its case' });
