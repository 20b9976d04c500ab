/**
 * Refusals in the shape the API gives them.
 */

export class ApiError extends Error {
  readonly status: number;
  readonly body: { error: Record<string, unknown> };

  constructor(status: number, error: { type: string; message: string; code?: string; param?: string }) {
    super(error.message);
    this.status = status;
    this.body = { error };
  }
}

export function invalid(message: string, code?: string, param?: string, status = 400): ApiError {
  return new ApiError(status, {
    type: 'invalid_request_error',
    message,
    ...(code && { code }),
    ...(param && { param }),
  });
}

export function missing(what: string, id: string): ApiError {
  return invalid(`No such ${what}: '${id}'`, 'resource_missing', 'id', 404);
}

/** The intent is in a state in which this cannot be done. */
export function unexpectedState(status: string, wanted: string): ApiError {
  return invalid(
    `This PaymentIntent could not be ${wanted} because it has a status of ${status}.`,
    'payment_intent_unexpected_state',
  );
}

export function declined(): ApiError {
  return new ApiError(402, { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' });
}
