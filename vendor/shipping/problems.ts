/**
 * Problems of shipping.
 */
import { defineProblem } from '@carton/runtime';

export const shippingZoneOverlap = defineProblem({
  code: 'shipping_zone_overlap',
  status: 409,
  title: 'Another shipping zone covers the same places',
});
export const shippingZoneInUse = defineProblem({
  code: 'shipping_zone_in_use',
  status: 409,
  title: 'The shipping zone is in use',
});
export const shippingProfileCodeTaken = defineProblem({
  code: 'shipping_profile_code_taken',
  status: 409,
  title: 'Another shipping profile has this code',
});
export const shippingProfileInUse = defineProblem({
  code: 'shipping_profile_in_use',
  status: 409,
  title: 'The shipping profile is in use',
});
export const shippingOptionCodeTaken = defineProblem({
  code: 'shipping_option_code_taken',
  status: 409,
  title: 'Another shipping option has this code',
});
export const shippingOptionUnavailable = defineProblem({
  code: 'shipping_option_unavailable',
  status: 409,
  title: 'The shipping option cannot be used for this cart',
});
export const shippingMethodRequired = defineProblem({
  code: 'shipping_method_required',
  status: 409,
  title: 'This store requires a shipping option',
});
