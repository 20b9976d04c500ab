/**
 * Markup for the pages that a box serves: a template tag that escapes every value.
 */

/** Escaped markup. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }

  toString(): string {
    return this.markup;
  }
}

/** A value in a template: text is escaped, markup is not; null, undefined and false are left out. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * Builds markup from a template; its values are escaped as text or as quoted attributes. Values must not be placed in
 * scripts, styles, comments or unquoted attributes, nor a URL of unknown origin in `href` or `src`.
 * @example html`<p title="${name}">${lines.map((line) => html`<b>${line}</b>`)}</p>`
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, at) => (at === 0 ? part : markupOf(values[at - 1]) + part)).join(''));
}

function markupOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escapeText(String(value));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and quoted attributes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}
