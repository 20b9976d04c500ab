/**
 * VIES: asks the member states of the EU, by its REST API, whether a tax number is valid.
 * Source: https://ec.europa.eu/assets/taxud/vow-information/swagger_publicVAT.yaml
 */
import { requestJson, ServiceError, type Static, storableText, Type } from '@carton/runtime';
import type { TaxNumberAnswer, TaxNumberChecker } from '@carton/tax';
import { viesSettings } from './settings.ts';

const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** An answer, or the faults because of which there is none. */
const Answer = Type.Object({
  valid: Type.Optional(Type.Boolean()),
  countryCode: optionalText,
  vatNumber: optionalText,
  requestIdentifier: optionalText,
  name: optionalText,
  address: optionalText,
  actionSucceed: Type.Optional(Type.Boolean()),
  errorWrappers: Type.Optional(Type.Array(Type.Object({ error: Type.String() }))),
  userError: optionalText,
});

/** The member states, with the letters that their numbers begin with, and Northern Ireland. */
const prefixes = new Set(
  'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(' '),
);

/** What `userError` says of an answer. Any other word is a fault. */
const answered = new Set(['VALID', 'INVALID', '']);

/** Faults of what was asked: the register works. */
const refusals = new Set(['INVALID_INPUT', 'INVALID_REQUESTER_INFO']);

/** `MS_MAX_CONCURRENT_REQ`, `GLOBAL_MAX_CONCURRENT_REQ_TIME`: others may still be answered. */
const isBusy = (fault: string) => fault.includes('MAX_CONCURRENT_REQ');

const partsOf = (number: string) => ({ country: number.slice(0, 2), rest: number.slice(2) });

export const vies: TaxNumberChecker = {
  name: 'vies',
  knows: (prefix) => prefixes.has(prefix),
  async check(db, { number, requester }, signal) {
    const { country, rest } = partsOf(number);
    const asks = requester === null ? null : partsOf(requester);
    // Others than member states cannot ask for a confirmation.
    const requesting =
      asks && prefixes.has(asks.country)
        ? { requesterMemberStateCode: asks.country, requesterNumber: asks.rest }
        : undefined;
    const body = JSON.stringify({ countryCode: country, vatNumber: rest, ...requesting });
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const { check: url } = viesSettings.of(db);
    return answerOf(number, await requestJson({ method: 'POST', url, headers, body, answer: Answer }, signal));
  },
};

/** VIES writes dashes for what a member state does not tell. */
const told = (text: string | null | undefined) =>
  text && /[^-\s]/.test(text) ? storableText(text.trim().slice(0, 1000)) : null;

const failureOf = (fault: string) => (isBusy(fault) ? 'busy' : refusals.has(fault) ? 'refused' : 'unavailable');

function answerOf(
  number: string,
  { valid, userError, actionSucceed, errorWrappers = [], ...answer }: Static<typeof Answer>,
): TaxNumberAnswer {
  const fault = errorWrappers[0]?.error ?? (answered.has(userError ?? '') ? null : userError);
  if (fault || actionSucceed === false) {
    throw new ServiceError(failureOf(fault ?? ''), `it has the fault ${faultName(fault)}`);
  }
  if (valid === undefined) throw new ServiceError('invalid', 'its answer does not say whether the number is valid');
  if (`${answer.countryCode ?? ''}${answer.vatNumber ?? ''}` !== number) {
    throw new ServiceError('invalid', 'its answer is about another number');
  }
  return {
    isValid: valid,
    requestIdentifier: told(answer.requestIdentifier),
    name: told(answer.name),
    address: told(answer.address),
  };
}

/** Faults are words in capitals; anything else may repeat what was asked, which the log must not have. */
const faultName = (fault: string | null | undefined) => (fault && /^[A-Z_]{1,40}$/.test(fault) ? fault : 'unknown');
