/**
 * A shopper's browser at the provider, which pays with the client secret.
 */

/** Test cards: one that works, one that is declined, one that needs another confirmation. */
export type Card = 'pm_card_visa' | 'pm_card_chargeDeclined' | 'pm_card_authenticationRequired';

export class Shopper {
  readonly #url: string;

  /** @param url of the provider */
  constructor(url: string) {
    this.#url = url;
  }

  /** Pays. Returns the intent's status, or the code of the error. */
  async pay(clientSecret: string, card: Card = 'pm_card_visa'): Promise<string> {
    const [id] = clientSecret.split('_secret_');
    const response = await fetch(`${this.#url}/v1/payment_intents/${id}/confirm`, {
      method: 'POST',
      headers: { authorization: 'Bearer pk_test_shopper' },
      body: new URLSearchParams({ client_secret: clientSecret, payment_method: card }),
    });
    const body = (await response.json()) as { status?: string; error?: { code: string } };
    return body.status ?? (body.error?.code as string);
  }
}
