/**
 * A simulator of the part of Stripe Tax that the box uses: calculations and their line items. It taxes Germany (19 %, its
 * code of books 7 %), California (a state tax of 7.25 % and a county's of 1 %), and no other place.
 */
import { allocate, divideRounded, hundredPercent, scalePercent } from '@carton/runtime';
import type { SimulatedRequest, SimulatedResponse, WrongAnswers } from '@carton/runtime/testing';
import { type Form, parseForm, textOf } from '../form.ts';

/** Stripe's code of printed books. */
export const booksCode = 'txcd_35010000';
/** An address with this postal code is refused. */
export const unknownPostalCode = '00000';

interface Line {
  id: string;
  reference: string;
  amount: number;
  amount_tax: number;
  tax_behavior: string;
  tax_breakdown: { amount: number }[];
}

interface Calculation {
  id: string;
  currency: string;
  amount_total: number;
  tax_amount_exclusive: number;
  tax_amount_inclusive: number;
  line_items: { data: Line[]; has_more: boolean };
  shipping_cost: Omit<Line, 'id' | 'reference'> | null;
}

/** As many line items as a calculation lists itself. */
const listed = 10;
const calculations = new Map<string, Line[]>();

type Rate = [name: string, type: string, percent: number];

function ratesOf(address: Form, code: string | undefined): Rate[] {
  const [country, state] = [textOf(address.country), textOf(address.state)];
  if (country === 'DE') return [['Umsatzsteuer', 'vat', code === booksCode ? 7 : 19]];
  if (country !== 'US' || state !== 'CA') return [];
  return [
    ['California Sales Tax', 'sales_tax', 7.25],
    ['County Sales Tax', 'sales_tax', 1],
  ];
}

function taxed(form: Form, address: Form) {
  const amount = Number(textOf(form.amount));
  const behavior = textOf(form.tax_behavior) ?? 'exclusive';
  const rates = ratesOf(address, textOf(form.tax_code));
  const weights = rates.map(([, , percent]) => scalePercent(percent));
  const combined = weights.reduce((sum, weight) => sum + weight, 0n);
  const base = behavior === 'inclusive' ? hundredPercent + combined : hundredPercent;
  const tax = divideRounded(BigInt(amount) * combined, base);
  const shares = allocate(tax, weights);
  const breakdown = rates.map(([display_name, tax_type, percent], at) => ({
    amount: shares[at] as number,
    tax_rate_details: { display_name, tax_type, percentage_decimal: String(percent) },
    taxability_reason: 'standard_rated',
  }));
  const none = { amount: 0, tax_rate_details: null, taxability_reason: 'not_collecting' };
  return {
    amount,
    amount_tax: tax,
    tax_behavior: behavior,
    tax_breakdown: breakdown.length > 0 ? breakdown : [none],
  };
}

/** A number per process keeps ids unique; tests tell calculations apart by them. */
let count = 0;

function calculate(form: Form): SimulatedResponse {
  const customer = (form.customer_details as Form | undefined) ?? {};
  const address = (customer.address as Form | undefined) ?? {};
  const items = Object.values((form.line_items as Form | undefined) ?? {}) as Form[];
  if (items.length === 0) return refusal('parameter_missing');
  if (textOf(address.postal_code) === unknownPostalCode) return refusal('customer_tax_location_invalid');
  const id = `taxcalc_${++count}`;
  const lines = items.map((item, at): Line => {
    return { id: `${id}_${at}`, reference: textOf(item.reference) as string, ...taxed(item, address) };
  });
  const shipping = form.shipping_cost ? taxed(form.shipping_cost as Form, address) : null;
  calculations.set(id, lines);
  const all = [...lines, ...(shipping ? [shipping] : [])];
  const sum = (isIncluded: boolean) =>
    all.reduce((tax, line) => tax + ((line.tax_behavior === 'inclusive') === isIncluded ? line.amount_tax : 0), 0);
  const calculation: Calculation & { object: string } = {
    id,
    object: 'tax.calculation',
    currency: textOf(form.currency) as string,
    amount_total: all.reduce((total, { amount }) => total + amount, 0) + sum(false),
    tax_amount_exclusive: sum(false),
    tax_amount_inclusive: sum(true),
    line_items: { data: structuredClone(lines.slice(0, listed)), has_more: lines.length > listed },
    shipping_cost: shipping,
  };
  return { status: 200, body: calculation };
}

function refusal(code: string): SimulatedResponse {
  return { status: 400, body: { error: { type: 'invalid_request_error', code, message: code } } };
}

export function respond({ method, url, body, authorization }: SimulatedRequest): SimulatedResponse {
  if (!/^Bearer sk_\w+$/.test(authorization))
    return { status: 401, body: { error: { type: 'invalid_request_error' } } };
  if (method === 'POST' && url.pathname === '/v1/tax/calculations') return calculate(parseForm(body));
  const lines = calculations.get(/^\/v1\/tax\/calculations\/(\w+)\/line_items$/.exec(url.pathname)?.[1] ?? '');
  if (method !== 'GET' || !lines) return { status: 404, body: { error: { code: 'resource_missing' } } };
  const after = lines.findIndex(({ id }) => id === url.searchParams.get('starting_after')) + 1;
  const limit = Number(url.searchParams.get('limit') ?? listed);
  const data = structuredClone(lines.slice(after, after + limit));
  return { status: 200, body: { object: 'list', data, has_more: lines.length > after + limit } };
}

const firstLine = ({ line_items: { data } }: Calculation) => data[0] as Line;

/** Each is a lie that must be refused. */
export const wrongAnswers: WrongAnswers = {
  'wrong-sum'(calculation: Calculation) {
    calculation.tax_amount_exclusive += 1;
  },
  'wrong-total'(calculation: Calculation) {
    calculation.amount_total -= 1;
  },
  'wrong-currency'(calculation: Calculation) {
    calculation.currency = 'usd';
  },
  'wrong-breakdown'(calculation: Calculation) {
    (firstLine(calculation).tax_breakdown[0] as { amount: number }).amount += 1;
  },
  'wrong-amount'(calculation: Calculation) {
    firstLine(calculation).amount -= 1;
    calculation.amount_total -= 1;
  },
  'wrong-line'(calculation: Calculation) {
    firstLine(calculation).reference = 'other';
  },
  /** Its sums add up. */
  negative(calculation: Calculation) {
    changeTax(calculation, -1 - firstLine(calculation).amount_tax);
  },
  /** Its sums add up, but no tax is above 100 %. */
  excessive(calculation: Calculation) {
    changeTax(calculation, firstLine(calculation).amount + 1);
  },
};

function changeTax(calculation: Calculation, by: number): void {
  const line = firstLine(calculation);
  line.amount_tax += by;
  (line.tax_breakdown[0] as { amount: number }).amount += by;
  calculation.tax_amount_exclusive += by;
  calculation.amount_total += by;
}
