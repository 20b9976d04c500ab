/**
 * Errors in the shape of the API.
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

export function notFound(what: string, id: string): ApiError {
  return invalid(`No such ${what}: '${id}'`, 'resource_missing', 'id', 404);
}

/** The intent's status does not allow the operation. */
export function unexpectedState(status: string, attempted: string): ApiError {
  return invalid(
    `This PaymentIntent could not be ${attempted} because it has a status of ${status}.`,
    'payment_intent_unexpected_state',
  );
}

export function declined(): ApiError {
  return new ApiError(402, { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' });
}
