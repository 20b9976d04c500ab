/**
 * Renders texts of mails in Liquid, within limits of length, time and memory.
 */
import { dateTimeFormat, minorUnitDigits, numberFormat } from '@carton/runtime/formats';
import { Context, Liquid, type LiquidError, type Template } from 'liquidjs';
import { maxTextLength, TextFault, TextTooCostly } from './fault.ts';

/** Longest part of a mail, in characters. */
const maxOutputLength = 500_000;
/** Most tags, outputs and pieces of text in one rendering: an order of 500 lines has less than a fifth of that. */
const templateLimit = 100_000;
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
  const format = numberFormat(locale, { style: 'currency', currency, minimumFractionDigits: digits });
  return format.format((amount as number) / 10 ** digits);
}

/** `{{ order.payBy | date }}`, `{{ order.payBy | date: 'short' }}` */
function formatTime(value: unknown, style: object, { locale, timeZone }: Formats): string {
  if (value === null) return '';
  const time = new Date(String(value));
  if (Number.isNaN(time.getTime())) throw new Error('date and time format only times');
  return dateTimeFormat(locale, { ...style, timeZone }).format(time);
}

/** @throws TextFault */
export function parse(text: string, { html }: { html: boolean }): Template[] {
  return withPosition(() => (html ? escaping : plain).parse(text));
}

export interface RenderOptions extends Formats {
  html: boolean;
  /** When the rendering has to be complete, as `processorTime()`. The count of tags ends most endless loops earlier. */
  deadline: number;
}

/**
 * Renders a text that was parsed; in HTML, values are escaped.
 * @throws TextFault for a text that uses an unknown variable or exceeds a limit, TextTooCostly after the deadline
 */
export function render(templates: Template[], data: object, { html, deadline, ...formats }: RenderOptions): string {
  const engine = html ? escaping : plain;
  const output = withPosition(() => String(engine.renderSync(templates, contextOf(engine, data, formats, deadline))));
  if (output.length > maxOutputLength) throw new TextFault(`it renders to more than ${maxOutputLength} characters`);
  return output;
}

/**
 * Milliseconds that this process has computed. A text does not take longer because the machine has other work.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** With limits of templates and of time that the engine has not: its own time goes on while the process waits. */
function contextOf(engine: Liquid, data: object, globals: Formats, deadline: number): Context {
  const context = new Context(data, engine.options, { sync: true, globals }, { liquid: engine });
  let count = 0;
  // Called before each template.
  context.renderLimit.check = () => {
    count++;
    if (count > templateLimit) throw new Error('template count limit exceeded');
    if (processorTime() > deadline) throw new Error(timeExceeded);
  };
  return context;
}

const timeExceeded = 'template render limit exceeded';

function withPosition<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { token, message, originalError } = error as LiquidError;
    const [line, column] = token?.getPosition() ?? [];
    const reason = originalError?.message ?? message.replace(/, line:\d+, col:\d+$/, '');
    const position = line === undefined ? '' : `line ${line}, column ${column}: `;
    if (reason === timeExceeded) throw new TextTooCostly(`${position}rendering takes too long`);
    throw new TextFault(`${position}${reason}`);
  }
}
