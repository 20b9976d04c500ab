/**
 * The metric of values that the schemas of responses refuse.
 */
import { LabelledCounter } from './metrics/counter.ts';

export function refusalCounter() {
  return new LabelledCounter({
    name: 'response_values_refused_total',
    help: 'Values that the schema of a response refuses, by operation and outcome: `null` and `omitted` (the value became null or was left out), `row_omitted` (the row was left out of its list), `failed` (the request was 500)',
    labels: ['operation', 'outcome'],
  });
}
