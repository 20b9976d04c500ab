/**
 * Describes the errors of a validation for the client: of many, those that the value means.
 */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { pointerTo } from './pointer.ts';
import type { FieldError } from './problems.ts';

/** At most so many errors are named. */
const maxShown = 20;
/**
 * At most so many are chosen from, since choosing compares each with each other: a body of a megabyte may have hundreds
 * of thousands.
 */
const maxErrors = 500;

/** Completes "must be". A function gets the text that is refused, where more can be said of it. */
export type Meaning = string | ((text: string) => string);

/** The meanings of this API's formats, and of what `x-converted` takes. */
export const formatMeanings = new Map<string, Meaning>();
export const converterMeanings = new Map<string, Meaning>();

/**
 * The first errors that a client needs, each with a JSON pointer.
 * @param errors all errors of Ajv for a value
 * @param value what was validated
 */
export function fieldErrors(errors: readonly ErrorObject[], part: FieldError['in'], value?: unknown): FieldError[] {
  const own = withChoices(withoutOtherAlternatives(withoutOtherTypes(errors.slice(0, maxErrors))));
  // The meaning of a format is more helpful than the pattern that the value also violates, and so are its input forms.
  const formatPaths = new Set(own.filter(isOwnFormatError).map(({ instancePath }) => instancePath));
  const formPaths = new Set(own.filter(isOfInputForms).map(({ instancePath }) => instancePath));
  const relevant = own.filter(
    ({ keyword, instancePath }) =>
      (keyword !== 'pattern' || !formatPaths.has(instancePath)) &&
      (keyword !== 'format' || !formPaths.has(instancePath)),
  );
  return relevant.slice(0, maxShown).map((error) => ({
    in: part,
    pointer: pointerOf(error),
    detail: detailOf(error, value),
  }));
}

/** An alternative that the value does not mean: another constant is in the property that tells them apart. */
interface OtherAlternative {
  union: string;
  schemaPath: string;
  instancePath: string;
}

/**
 * Leaves out the errors of alternatives that the value does not mean, such as those of `{ kind: 'fixed' }` for a value
 * with the kind `percent`. If it means none, their constants are what is wrong.
 */
function withoutOtherAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  const others = errors.flatMap(({ keyword, schemaPath, instancePath }): OtherAlternative[] => {
    const [, path, union] = /^((.*)\/(?:anyOf|oneOf)\/\d+)\/properties\/[^/]+\/const$/.exec(schemaPath) ?? [];
    if (keyword !== 'const' || path === undefined || union === undefined) return [];
    return [{ union, schemaPath: path, instancePath: instancePath.slice(0, instancePath.lastIndexOf('/')) }];
  });
  if (others.length === 0) return [...errors];
  const isWithin = (error: ErrorObject, schemaPath: string, instancePath: string) =>
    error.schemaPath.startsWith(`${schemaPath}/`) && error.instancePath.startsWith(instancePath);
  const otherOf = (error: ErrorObject) =>
    others.find(({ schemaPath, instancePath }) => isWithin(error, schemaPath, instancePath));
  const meant = errors.filter((error) => otherOf(error) === undefined);
  return errors.filter((error) => {
    const other = otherOf(error);
    if (other === undefined) return true;
    // The union's own error is not that of an alternative, also in a union within another.
    const isOfAlternative = ({ schemaPath }: ErrorObject) =>
      /^\/(anyOf|oneOf)\/\d+\//.test(schemaPath.slice(other.union.length));
    const isAnyMeant = meant.some((each) => isWithin(each, other.union, other.instancePath) && isOfAlternative(each));
    return !isAnyMeant && error.keyword === 'const';
  });
}

/**
 * Leaves out that the value is not of the type of an alternative, where it has that of another: of `[{ "code": 1 }]`, which
 * may be a boolean or a list, what is wrong in the list.
 */
function withoutOtherTypes(errors: readonly ErrorObject[]): ErrorObject[] {
  const typeAlternative = /^(.*\/(?:anyOf|oneOf)\/)\d+\/type$/;
  const unionOf = ({ schemaPath }: ErrorObject) => typeAlternative.exec(schemaPath)?.[1];
  const refusing = new Set(errors.filter((error) => unionOf(error) !== undefined));
  const alternativeIn = (union: string, { schemaPath }: ErrorObject) => schemaPath.slice(union.length).split('/', 1)[0];
  return errors.filter((error) => {
    const union = unionOf(error);
    if (union === undefined) return true;
    const here = errors.filter(
      ({ schemaPath, instancePath }) => schemaPath.startsWith(union) && instancePath.startsWith(error.instancePath),
    );
    const others = new Set(
      here
        .filter((each) => refusing.has(each) && unionOf(each) === union && each.instancePath === error.instancePath)
        .map((each) => alternativeIn(union, each)),
    );
    return here.every((each) => others.has(alternativeIn(union, each)));
  });
}

/** One error that names all constants of a place, instead of one for each alternative. */
function withChoices(errors: readonly ErrorObject[]): ErrorObject[] {
  const constants = Map.groupBy(
    errors.filter(({ keyword }) => keyword === 'const'),
    ({ instancePath }) => instancePath,
  );
  return errors.flatMap((error) => {
    if (error.keyword !== 'const') return [error];
    const [first, ...others] = constants.get(error.instancePath) ?? [];
    if (error !== first) return [];
    const allowedValues = [...new Set([first, ...others].map(({ params }) => params.allowedValue))];
    return [{ ...error, keyword: 'enum', params: { allowedValues } }];
  });
}

const isOfInputForms = ({ keyword }: ErrorObject) => keyword === 'x-converted';

function isOwnFormatError({ keyword, params }: ErrorObject): boolean {
  return keyword === 'format' && formatMeanings.has(params.format);
}

/** What is wrong with a value, as a sentence without its subject. @param root what was validated */
export function detailOf(error: ErrorObject, root?: unknown): string {
  if (error.keyword === 'enum') return list(error);
  const meaning = meaningOf(error);
  if (meaning === undefined) return error.message ?? 'is invalid';
  return `must be ${typeof meaning === 'string' ? meaning : meaning(textAt(root, error.instancePath))}`;
}

function meaningOf(error: ErrorObject): Meaning | undefined {
  if (isOwnFormatError(error)) return formatMeanings.get(error.params.format);
  return isOfInputForms(error) ? converterMeanings.get(error.params.form) : undefined;
}

/** The text at a pointer; empty where there is none. */
function textAt(root: unknown, pointer: string): string {
  const names = pointer.split('/').slice(1);
  const at = names.reduce<unknown>((value, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[key] : undefined;
  }, root);
  return typeof at === 'string' ? at : '';
}

/** The pointer to the field itself: for a missing or unknown property, not to the object around it. */
function pointerOf(error: ErrorObject): string {
  const name = error.params.missingProperty ?? error.params.additionalProperty;
  if (name === undefined) return error.instancePath;
  return error.instancePath + pointerTo(String(name));
}

function list(error: ErrorObject): string {
  const values = (error.params.allowedValues as unknown[]).map((value) => JSON.stringify(value));
  return `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
}
