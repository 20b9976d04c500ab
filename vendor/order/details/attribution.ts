/**
 * How the shopper came to the store, as a storefront reports it with an order. A storefront takes it from the browser by
 * itself, and the shopper can correct none of it: whatever it holds, it does not refuse the order.
 */
import { OrderAttribution } from '../schemas.ts';
import type { ReportedAttribution } from './schemas.ts';

const lengths = Object.entries(OrderAttribution.properties).map(
  ([name, { maxLength }]) => [name as keyof OrderAttribution, Number(maxLength)] as const,
);

/** The attribution as it is stored; null if it says nothing. */
export function storedAttribution(sent: ReportedAttribution | null | undefined): OrderAttribution | null {
  const told = lengths.flatMap(([name, length]): [string, string][] => {
    const text = truncated(sent?.[name]?.trim() ?? '', length);
    return text === '' ? [] : [[name, text]];
  });
  return told.length === 0 ? null : Object.fromEntries(told);
}

/** The first characters of a text, as the schema counts them: no pair of surrogates is split. */
function truncated(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('').trimEnd();
}
