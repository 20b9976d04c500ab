/**
 * The HTML that rich texts and pages may contain, so that storefronts can insert it as it is. A module for compute
 * processes, too.
 */
import sanitize, { type IOptions } from 'sanitize-html';

const addresses = ['http', 'https', 'mailto', 'tel'];

const options: IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'span', 'br', 'hr', 'blockquote', 'pre', 'code'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd'],
    ...['strong', 'b', 'em', 'i', 'u', 's', 'small', 'sub', 'sup', 'mark', 'abbr'],
    ...['a', 'img', 'figure', 'figcaption', 'details', 'summary'],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ],
  // No `style`, `class` or `id`: they could cover or impersonate other parts of the storefront.
  allowedAttributes: {
    '*': ['title', 'lang', 'dir'],
    a: ['href', 'target', 'rel'],
    img: ['src', 'alt', 'width', 'height', 'loading'],
    ol: ['start', 'reversed'],
    li: ['value'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
  },
  allowedSchemes: addresses,
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  nestingLimit: 100,
  // Of other tags that are removed, such as those of forms, the text stays, escaped.
  nonTextTags: ['script', 'style'],
  transformTags: {
    // Their texts would be one word.
    option: 'div',
    // A page that is opened in another window must not control this one.
    a: (tagName, { target, rel: _, ...attributes }) => ({
      tagName,
      attribs: target === '_blank' ? { ...attributes, target, rel: 'noopener noreferrer' } : attributes,
    }),
  },
};

/** Removes whatever is not allowed: tags (their text stays, except that of scripts and styles), attributes, addresses. */
export default function sanitizeHtml(html: string): string {
  return sanitize(html, options);
}
