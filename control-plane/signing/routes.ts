/**
 * The keys that verify activation tokens, and their rotation.
 */
import { DateTime, object, oneOf, routeFor, Type, vendor } from '@carton/runtime/service';
import type { CommonCallers, CommonServices } from '../services.ts';
import { algorithm, type SigningKeys } from './keys.ts';

const route = routeFor<CommonServices & { signing: SigningKeys }, CommonCallers>();

const tag = 'Signing keys';
/** Short, since clients fetch the keys again for an unknown `kid` and must not get a stale response for long. */
const cacheControl = 'public, max-age=30';

const SigningKey = object(
  {
    algorithm: oneOf([algorithm]),
    issuer: Type.String({ description: 'Issuer of activation tokens', examples: [vendor.issuer] }),
    publicKey: Type.String({ description: 'PEM (SPKI)' }),
  },
  { $id: 'SigningKey' },
);

const JsonWebKeySet = object(
  {
    keys: Type.Array(
      object(
        {
          kty: oneOf(['RSA']),
          kid: Type.String(),
          alg: oneOf([algorithm]),
          use: oneOf(['sig']),
          n: Type.String({ description: 'Modulus, base64url' }),
          e: Type.String({ description: 'Exponent, base64url' }),
        },
        { $id: 'JsonWebKey' },
      ),
    ),
  },
  { $id: 'JsonWebKeySet', description: 'RFC 7517' },
);

const SigningKeyRotation = object(
  {
    kid: Type.String({ description: 'Id of the new current key, which had been published as the next one' }),
    signsSince: DateTime,
    nextKid: Type.String({
      description: 'Id of the next key, which is published now and signs after the next rotation',
    }),
    retired: object({
      kid: Type.String(),
      verifiesUntil: Type.String({ format: 'date-time', description: 'When the last token it signed has expired' }),
    }),
  },
  { $id: 'SigningKeyRotation' },
);

const readSigningKey = route(
  {
    method: 'get',
    path: '/license/jwks',
    operationId: 'readSigningKey',
    tag,
    summary: 'Read the public key that verifies new tokens',
    description:
      'Tokens name their key in the header `kid`. `/.well-known/jwks.json` lists all keys that verify unexpired tokens.',
    access: 'public',
    status: 200,
    response: SigningKey,
    cacheControl,
  },
  async ({ signing }) => ({
    algorithm: algorithm as typeof algorithm,
    issuer: vendor.issuer,
    publicKey: (await signing.current()).publicKey,
  }),
);

const listSigningKeys = route(
  {
    method: 'get',
    path: '/.well-known/jwks.json',
    operationId: 'listSigningKeys',
    tag,
    summary: 'List the public keys that verify tokens now or after the next rotation',
    access: 'public',
    status: 200,
    response: JsonWebKeySet,
    cacheControl,
  },
  async ({ signing }) => ({ keys: (await signing.live()) as never }),
);

const rotateSigningKey = route(
  {
    method: 'post',
    path: '/signing-keys/rotate',
    operationId: 'rotateSigningKey',
    tag,
    summary: 'Rotate the signing key',
    description:
      'The next key becomes the current one. The old key no longer signs, and verifies until the last token it signed has expired. Clients that cache public keys know the new key, since it was published before, unless two rotations happen within the lifetime of their cache.',
    access: 'admin',
    permission: 'owner',
    outsideTransaction: true,
    status: 201,
    response: SigningKeyRotation,
  },
  ({ signing }) => signing.rotate(),
);

export const signingRoutes = [readSigningKey, listSigningKeys, rotateSigningKey];
