/**
 * A simulator of the part of VIES that the box uses. Each number is valid but those in `unknownNumbers`; a number of a state
 * in `absentStates` gets the fault of a state that is away.
 */
import type { SimulatedRequest, SimulatedResponse, WrongAnswers } from '@carton/runtime/testing';

/** Of right form, and not registered. */
export const unknownNumbers = ['FR83404833048', 'ATU13585627'];
export const absentStates = ['ES'];

interface Asked {
  countryCode: string;
  vatNumber: string;
  requesterMemberStateCode?: string;
  requesterNumber?: string;
}

interface Answered extends Record<string, unknown> {
  vatNumber: string;
}

let answers = 0;

export function respond({ method, url, body }: SimulatedRequest): SimulatedResponse {
  if (method !== 'POST' || url.pathname !== '/check-vat-number') return { status: 404, body: {} };
  const { countryCode, vatNumber, ...requester } = JSON.parse(body) as Asked;
  if (absentStates.includes(countryCode)) {
    return { status: 200, body: { actionSucceed: false, errorWrappers: [{ error: 'MS_UNAVAILABLE' }] } };
  }
  const valid = !unknownNumbers.includes(`${countryCode}${vatNumber}`);
  const requestIdentifier = requester.requesterNumber ? `WAPIAAAA${++answers}` : '';
  const known = valid
    ? { name: 'SAS CAFE CREME', address: '1 RUE DE LA PAIX\n75002 PARIS' }
    : { name: '---', address: '---' };
  const requestDate = new Date().toISOString();
  return { status: 200, body: { countryCode, vatNumber, valid, requestDate, requestIdentifier, ...known } };
}

const replace = (properties: (answer: Answered) => object) => (answer: Answered) => {
  for (const name of Object.keys(answer)) delete answer[name];
  Object.assign(answer, properties({ ...answer }));
};

/** Each is a fault, or a lie that must be refused. */
export const wrongAnswers: WrongAnswers = {
  busy: replace(() => ({ actionSucceed: false, errorWrappers: [{ error: 'MS_MAX_CONCURRENT_REQ' }] })),
  'invalid-input': replace(() => ({ actionSucceed: false, errorWrappers: [{ error: 'INVALID_INPUT' }] })),
  'user-error': (answer: Answered) => void Object.assign(answer, { valid: false, userError: 'MS_UNAVAILABLE' }),
  'other-number': (answer: Answered) => void Object.assign(answer, { vatNumber: '00000000000' }),
  undecided: (answer: Answered) => void delete answer.valid,
  'not-a-boolean': (answer: Answered) => void Object.assign(answer, { valid: 'true' }),
};

/** True answers with texts that PostgreSQL does not store. */
export const oddAnswers: WrongAnswers = {
  'odd-texts': (answer: Answered) =>
    void Object.assign(answer, { name: 'SAS\u0000 CAFE\ud800 CREME', address: `\udc00${'x'.repeat(998)}\u{1f600}` }),
};
