/**
 * The interface of a carrier service: it says what carriers charge for a parcel.
 */
import type { QuotedAddress } from '@carton/cart';
import { Currency, object, type Static, type TenantDatabase, Type } from '@carton/runtime';

export interface CarrierQuestion {
  from: QuotedAddress;
  to: QuotedAddress;
  /** Grams, above zero. */
  weight: number;
}

/** The prices of all services that take the parcel. */
export const CarrierAnswer = object({
  rates: Type.Array(
    object({
      /** Carrier and service, as options name them: `USPS Priority`. */
      service: Type.String(),
      /** Minor units. */
      amount: Type.Integer({ minimum: 0 }),
      currency: Currency,
    }),
  ),
  /** Carriers that gave no answer to the service: what they would charge is not known. */
  failed: Type.Array(Type.String()),
});
export type CarrierAnswer = Static<typeof CarrierAnswer>;

export interface CarrierService {
  readonly name: string;
  /** The tenant's account; null without one. */
  connect(db: TenantDatabase): Promise<CarrierAccount | null>;
}

export interface CarrierAccount {
  /** Calls of one account share a circuit breaker. */
  readonly id: string;
  /**
   * One attempt, which ends when the signal is aborted.
   * @throws ServiceError: `refused` if the service will never price this parcel, `invalid` for an answer with prices that
   *   cannot be
   */
  rate(question: CarrierQuestion, signal: AbortSignal): Promise<CarrierAnswer>;
}
