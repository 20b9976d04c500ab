/**
 * A valid file for the document and for tests that know only declarations: a PNG picture of one pixel.
 */
export const examplePicture: Uint8Array = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQImWM4IScHAAK2AQVhu1gcAAAAAElFTkSuQmCC',
  'base64',
);
