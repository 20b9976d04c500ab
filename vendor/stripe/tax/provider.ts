/**
 * Stripe Tax: asks Stripe to calculate the taxes of a sale. A calculation records nothing with Stripe.
 * Source: https://docs.stripe.com/api/tax/calculations/create
 */
import { money, Problem, requestJson, ServiceError, type TSchema } from '@carton/runtime';
import { type TaxAnswer, type TaxPart, type TaxProvider, type TaxQuestion, wrongAnswer } from '@carton/tax';
import { fromStripe, toStripe } from '../amounts.ts';
import { accountOf, stripeSettings } from '../settings.ts';
import { type Breakdown, Calculation, LineItems, type Taxed } from './schemas.ts';

const apiVersion = '2026-10-28.endive';
/** Stripe's tax code of shipping, for a sale in which only shipping costs something. */
const shippingCode = 'txcd_92010001';
const path = '/v1/tax/calculations';

export const stripeTax: TaxProvider = {
  name: 'stripe',
  async connect(db) {
    const account = await accountOf(db);
    if (!account) return null;
    const { common, taxUrl, url } = stripeSettings.of(db);
    const api = { secretKey: account.secretKey, url: taxUrl ?? url ?? new URL('https://api.stripe.com') };
    return {
      id: account === common ? 'common' : db.tenantId,
      calculate: (question, signal) => calculate(api, question, signal),
    };
  },
};

interface Api {
  secretKey: string;
  url: URL;
}

async function calculate(api: Api, question: TaxQuestion, signal: AbortSignal): Promise<TaxAnswer> {
  const items = itemsOf(question);
  const request = { path, form: formOf(question, items), answer: Calculation };
  const calculation = await callApi(api, request, signal);
  const taxed = calculation.line_items.data;
  // A calculation lists its first line items only.
  for (let hasMore = calculation.line_items.has_more; hasMore; ) {
    const last = taxed.at(-1)?.id;
    if (last === undefined || taxed.length >= items.length) throw wrongAnswer('has more lines than the sale');
    const rest = `${path}/${encodeURIComponent(calculation.id)}/line_items?limit=100&starting_after=${encodeURIComponent(last)}&expand[0]=data.tax_breakdown`;
    const page = await callApi(api, { path: rest, answer: LineItems }, signal);
    taxed.push(...page.data);
    hasMore = page.has_more;
  }
  return answerOf(question, items, calculation);
}

interface ApiRequest<Answer extends TSchema> {
  path: string;
  /** Omitted for a GET. */
  form?: URLSearchParams;
  answer: Answer;
}

function callApi<Answer extends TSchema>(
  { secretKey, url }: Api,
  { path, form, answer }: ApiRequest<Answer>,
  signal: AbortSignal,
) {
  const headers = {
    authorization: `Bearer ${secretKey}`,
    'stripe-version': apiVersion,
    ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  const method = form ? ('POST' as const) : ('GET' as const);
  return requestJson({ method, url: new URL(path, url), headers, body: form?.toString(), answer }, signal);
}

/** A line item, in Stripe's units. */
interface Item {
  amount: number;
  /** Whether the amount contains its taxes. */
  included: boolean;
  quantity: number;
  code: string | null;
}

/** @throws ServiceError `refused` for an amount that Stripe cannot represent */
function toUnits(amount: number, currency: string): number {
  try {
    return toStripe(money(amount, currency));
  } catch (error) {
    if (error instanceof Problem) throw new ServiceError('refused', error.message);
    throw error;
  }
}

/** Stripe needs an item: if only shipping costs something, it is the item. */
function itemsOf({ currency, included, lines, shipping }: TaxQuestion): Item[] {
  const items =
    lines.length > 0 || !shipping
      ? lines.map((line) => ({ ...line, included }))
      : [{ ...shipping, quantity: 1, code: shipping.code ?? shippingCode }];
  return items.map(({ amount, ...item }) => ({ ...item, amount: toUnits(amount, currency) }));
}

function shippingOf({ currency, lines, shipping }: TaxQuestion): Omit<Item, 'quantity'> | null {
  return shipping && lines.length > 0 ? { ...shipping, amount: toUnits(shipping.amount, currency) } : null;
}

const behaviorOf = ({ included }: Pick<Item, 'included'>) => (included ? 'inclusive' : 'exclusive');

function formOf(question: TaxQuestion, items: readonly Item[]): URLSearchParams {
  const { currency, address } = question;
  const form = new URLSearchParams({ currency: currency.toLowerCase() });
  const set = (name: string, value: string | number | null) => value !== null && form.set(name, String(value));
  for (const [at, each] of items.entries()) {
    const { amount, quantity, code } = each;
    const item = `line_items[${at}]`;
    set(`${item}[reference]`, at);
    set(`${item}[amount]`, amount);
    set(`${item}[quantity]`, quantity);
    set(`${item}[tax_behavior]`, behaviorOf(each));
    set(`${item}[tax_code]`, code);
  }
  const shipping = shippingOf(question);
  if (shipping) {
    set('shipping_cost[amount]', shipping.amount);
    set('shipping_cost[tax_behavior]', behaviorOf(shipping));
    set('shipping_cost[tax_code]', shipping.code);
  }
  set('customer_details[address_source]', 'shipping');
  const fields = { country: address.country, state: address.province, postal_code: address.postalCode };
  for (const [name, value] of Object.entries({ ...fields, city: address.city, line1: address.line1 })) {
    set(`customer_details[address][${name}]`, value);
  }
  set('expand[0]', 'line_items.data.tax_breakdown');
  set('expand[1]', 'shipping_cost.tax_breakdown');
  return form;
}

/** @throws ServiceError `invalid` for a calculation of another sale, or one whose sums do not add up */
function answerOf(question: TaxQuestion, items: readonly Item[], calculation: Calculation): TaxAnswer {
  const { currency, line_items: found, shipping_cost: charge } = calculation;
  if (currency !== question.currency.toLowerCase()) throw wrongAnswer('is in another currency');
  if (found.data.length !== items.length) throw wrongAnswer('has taxes of other lines');
  const byReference = new Map(found.data.map((line) => [line.reference, line]));
  const lines = items.map((item, at) => partsOf(question, item, byReference.get(String(at))));
  const shipping = shippingOf(question);
  if ((charge?.amount ?? 0) !== (shipping?.amount ?? 0)) throw wrongAnswer('has another charge for shipping');
  rejectWrongSums(calculation);
  const ofShipping = shipping && charge ? partsOf(question, shipping, charge) : [];
  const isShippingAlone = question.lines.length === 0;
  return {
    id: calculation.id,
    lines: isShippingAlone ? [] : lines,
    shipping: isShippingAlone ? (lines[0] ?? []) : ofShipping,
  };
}

function rejectWrongSums(calculation: Calculation): void {
  const { line_items: lines, shipping_cost: shipping, amount_total: total } = calculation;
  const { tax_amount_exclusive: onTop, tax_amount_inclusive: within } = calculation;
  const taxed = [...lines.data, ...(shipping ? [shipping] : [])];
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  // What each contains is checked with its parts.
  const taxOf = (behavior: string) =>
    sum(taxed.map(({ tax_behavior, amount_tax }) => (tax_behavior === behavior ? amount_tax : 0)));
  if (onTop !== taxOf('exclusive') || within !== taxOf('inclusive')) throw wrongAnswer('has taxes that do not add up');
  if (total !== sum(taxed.map(({ amount }) => amount)) + onTop) throw wrongAnswer('has a total that does not add up');
}

/** The taxes of a line or of shipping, by rate. */
function partsOf(question: TaxQuestion, asked: Pick<Item, 'amount' | 'included'>, taxed: Taxed | undefined): TaxPart[] {
  if (taxed?.amount !== asked.amount) throw wrongAnswer('has another amount for a line');
  if (taxed.tax_behavior !== behaviorOf(asked)) throw wrongAnswer('treats included taxes otherwise');
  const breakdown = taxed.tax_breakdown ?? [];
  const sum = breakdown.reduce((all, part) => all + part.amount, 0);
  if (sum !== taxed.amount_tax) throw wrongAnswer('has a breakdown that does not add up');
  return breakdown.map((part) => partOf(part, question.currency));
}

function partOf(
  { amount, tax_rate_details: details, taxability_reason: reason }: Breakdown,
  currency: string,
): TaxPart {
  const rate = details && Number(details.percentage_decimal);
  const isRate = rate !== null && rate >= 0 && rate <= 100 && Number(rate.toFixed(5)) === rate;
  return {
    code: details?.tax_type ?? reason,
    label: details?.display_name ?? reason.replaceAll('_', ' '),
    rate: isRate ? rate : null,
    amount: fromStripe(amount, currency),
  };
}
