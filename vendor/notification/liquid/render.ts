/**
 * Renders texts of mails in Liquid, within limits of length, time and memory.
 */
import { minorUnitDigits } from '@carton/runtime';
import { Liquid, type LiquidError, type Template } from 'liquidjs';
import { maxTextLength, TextFault } from './fault.ts';

/** Longest part of a mail, in characters. */
const maxOutputLength = 500_000;
/** Most tags, outputs and pieces of text in one rendering. */
const templateLimit = 10_000;
/** Milliseconds. The count above ends most endless loops earlier. */
const renderLimit = 1_000;
/** Characters and elements that filters and loops may create. */
const memoryLimit = 1_000_000;

/** Without tags that read files, and without `liquid`, in which positions of faults are less useful. */
const tags = ['if', 'unless', 'case', 'for', 'break', 'continue', 'assign', 'capture', 'cycle', 'comment', '#', 'raw'];

/** Without `raw` and others that create HTML, since HTML in values must be escaped. */
const filters = [
  ...['abs', 'at_least', 'at_most', 'ceil', 'divided_by', 'floor', 'minus', 'modulo', 'plus', 'round', 'times'],
  ...['append', 'capitalize', 'downcase', 'prepend', 'remove', 'replace', 'slice', 'split', 'strip', 'truncate'],
  ...['truncatewords', 'upcase', 'url_encode', 'default', 'compact', 'concat', 'first', 'join', 'last', 'map'],
  ...['reverse', 'size', 'sort', 'uniq', 'where'],
];

/** How a rendering formats amounts and times. */
export interface Formats {
  /** BCP 47. */
  locale: string;
  timeZone: string;
}

const plain = createEngine({});
const escaping = createEngine({ outputEscape: 'escape' });

function createEngine(options: { outputEscape?: 'escape' }): Liquid {
  const engine = new Liquid({
    ...options,
    // In place of the file system.
    templates: {},
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    parseLimit: maxTextLength,
    renderLimit,
    memoryLimit,
  });
  for (const name of Object.keys(engine.tags)) if (!tags.includes(name)) delete engine.tags[name];
  for (const name of Object.keys(engine.filters)) if (!filters.includes(name)) delete engine.filters[name];
  engine.registerFilter('money', function (value: unknown) {
    return formatMoney(value, this.context.globals as unknown as Formats);
  });
  engine.registerFilter('date', function (value: unknown, style: unknown = 'long') {
    return formatTime(value, { dateStyle: style }, this.context.globals as unknown as Formats);
  });
  engine.registerFilter('time', function (value: unknown, style: unknown = 'short') {
    return formatTime(value, { timeStyle: style }, this.context.globals as unknown as Formats);
  });
  return engine;
}

/** `{{ order.total | money }}` */
function formatMoney(value: unknown, { locale }: Formats): string {
  if (value === null) return '';
  const { amount, currency } = value as { amount?: unknown; currency?: unknown };
  if (!Number.isInteger(amount) || typeof currency !== 'string') throw new Error('money formats only amounts');
  const digits = minorUnitDigits(currency);
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: digits });
  return format.format((amount as number) / 10 ** digits);
}

/** `{{ order.payBy | date }}`, `{{ order.payBy | date: 'short' }}` */
function formatTime(value: unknown, style: object, { locale, timeZone }: Formats): string {
  if (value === null) return '';
  const time = new Date(String(value));
  if (Number.isNaN(time.getTime())) throw new Error('date and time format only times');
  return new Intl.DateTimeFormat(locale, { ...style, timeZone }).format(time);
}

/** @throws TextFault */
export function parse(text: string, { html }: { html: boolean }): Template[] {
  return withPosition(() => (html ? escaping : plain).parse(text));
}

/**
 * Renders a text; in HTML, values are escaped.
 * @throws TextFault for a text that does not parse, uses an unknown variable or exceeds a limit
 */
export function render(text: string, data: object, { html, ...formats }: Formats & { html: boolean }): string {
  const templates = parse(text, { html });
  const options = { templateLimit, globals: formats };
  const output = withPosition(() => String((html ? escaping : plain).renderSync(templates, data, options)));
  if (output.length > maxOutputLength) throw new TextFault(`it renders to more than ${maxOutputLength} characters`);
  return output;
}

function withPosition<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { token, message, originalError } = error as LiquidError;
    const [line, column] = token?.getPosition() ?? [];
    const reason = originalError?.message ?? message.replace(/, line:\d+, col:\d+$/, '');
    throw new TextFault(line === undefined ? reason : `line ${line}, column ${column}: ${reason}`);
  }
}
