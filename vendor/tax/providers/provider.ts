/**
 * The interface of a tax provider: a service that computes the taxes of a sale.
 */
import type { QuotedAddress } from '@carton/cart';
import { nullable, object, ServiceError, type Static, type TenantDatabase, Type } from '@carton/runtime';

/** Amounts are minor units after discounts, above zero. */
export interface TaxQuestion {
  /** ISO 4217 */
  currency: string;
  /** The amounts of the lines contain their taxes. */
  included: boolean;
  address: QuotedAddress;
  lines: readonly TaxQuestionLine[];
  /** All shipping charges together, with their taxes if `included`; null if there is nothing to pay for shipping. */
  shipping: { amount: number; code: string | null; included: boolean } | null;
}

export interface TaxQuestionLine {
  amount: number;
  quantity: number;
  /** The provider's code of the tax category; null for the default. */
  code: string | null;
}

const TaxPart = object({
  code: Type.String(),
  label: Type.String(),
  /** Per cent, with up to five decimals; null if there is no single rate. */
  rate: nullable(Type.Number({ minimum: 0, maximum: 100 })),
  /** Minor units. */
  amount: Type.Integer({ minimum: 0 }),
});
const TaxParts = Type.Array(TaxPart);

/** The taxes of each line of the question, in its order, and of shipping. */
export const TaxAnswer = object({
  /** The provider's identifier of the calculation. */
  id: Type.String(),
  lines: Type.Array(TaxParts),
  shipping: TaxParts,
});
export type TaxAnswer = Static<typeof TaxAnswer>;
export type TaxPart = Static<typeof TaxPart>;

export interface TaxProvider {
  /** As the settings of the store name it. */
  readonly name: string;
  /** The tenant's account with the provider; null without one. */
  connect(db: TenantDatabase): Promise<TaxAccount | null>;
}

export interface TaxAccount {
  /** Calls of one account share a circuit breaker. */
  readonly id: string;
  /**
   * One attempt to compute the taxes, which ends when the signal is aborted.
   * @throws ServiceError: `refused` if the provider will never answer this question, `invalid` for an answer whose
   *   amounts, currency or sums are not those of the question
   */
  calculate(question: TaxQuestion, signal: AbortSignal): Promise<TaxAnswer>;
}

/** Rejects an answer that no provider may give: taxes of other lines, below zero, or above the amount itself. */
export function rejectWrongAnswer({ lines, shipping }: TaxQuestion, answer: TaxAnswer): void {
  if (answer.lines.length !== lines.length) throw wrongAnswer('has taxes of other lines');
  if (answer.shipping.length > 0 && shipping === null) throw wrongAnswer('has taxes of shipping, which is free');
  const taxed = [...lines.map(({ amount }, at) => ({ amount, parts: answer.lines[at] ?? [] }))];
  if (shipping) taxed.push({ amount: shipping.amount, parts: answer.shipping });
  for (const { amount, parts } of taxed) {
    if (parts.some((part) => !Number.isSafeInteger(part.amount) || part.amount < 0)) {
      throw wrongAnswer('has a tax that is not zero or above');
    }
    if (parts.reduce((sum, part) => sum + part.amount, 0) > amount) throw wrongAnswer('has a tax above its amount');
  }
}

export function wrongAnswer(what: string): ServiceError {
  return new ServiceError('invalid', `its answer ${what}`);
}
