/**
 * Phrases of pages, whose values stand where the language has them: `Order {number}, placed on {date}`.
 */
import { Html, type HtmlValue, html } from './html.ts';

const placeholder = /\{(\w+)\}/;

/** A phrase with its values. @throws Error for a name without a value */
export function fillPhrase(phrase: string, values: Readonly<Record<string, HtmlValue>>): Html {
  const parts = phrase.split(placeholder);
  const filled = parts.map((part, at) => {
    if (at % 2 === 0) return html`${part}`;
    if (!Object.hasOwn(values, part)) throw new Error(`the phrase "${phrase}" has no value for {${part}}`);
    return html`${values[part]}`;
  });
  return new Html(filled.map(({ markup }) => markup).join(''));
}
