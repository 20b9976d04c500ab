/**
 * Schemas of the codes of a cart.
 */
import { object } from '@carton/runtime';
import { TypedCode } from '../codes/schemas.ts';

export const ApplyPromotionCode = object({ code: TypedCode }, { $id: 'ApplyPromotionCode' });
export const AppliedCodePath = object({ code: TypedCode });
