/**
 * Time to write a page of a hundred orders as their declared schema says, which leaves out what is not declared and refuses
 * values of other types, and of JSON.stringify with the same page, in alternating rounds.
 */
import { serialize } from '../runtime/http/serializer.ts';
import { describeBox } from '../runtime/testing/described-box.ts';
import { type Measurement, measureAlternately } from '../tools/load/measurement.ts';

const rounds = 9;
const pagesPerRound = 2000;
const ordersPerPage = 100;

interface Page {
  items: unknown[];
}

function microseconds(write: () => string): number {
  const started = performance.now();
  for (let page = 0; page < pagesPerRound; page++) write();
  return ((performance.now() - started) * 1000) / pagesPerRound;
}

export async function measure(): Promise<Measurement> {
  const box = await describeBox();
  const { components } = await box.document();
  const response = box.routes.find(({ declaration }) => declaration.operationId === 'listAdminOrders')?.declaration
    .response;
  const example = components.examples?.AdminOrderPage as { value: Page } | undefined;
  if (!response || !example) throw new Error('the document has no list of orders');
  const { items, ...rest } = example.value;
  const page = { ...rest, items: Array.from({ length: ordersPerPage }, () => structuredClone(items[0])) };
  console.log(`${serialize(response, page).length} characters by the schema, ${JSON.stringify(page).length} by itself`);
  const side = (what: string, write: () => string) => ({
    what,
    unit: 'µs',
    digits: 1,
    measure: async () => microseconds(write),
  });
  return measureAlternately(
    'responses',
    rounds,
    side('a page of orders by its schema', () => serialize(response, page)),
    side('JSON.stringify', () => JSON.stringify(page)),
  );
}
