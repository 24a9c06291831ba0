// What the vendor's declarations do not say of new objects of the generic tier: fields that are always there, are
// no parameters, and still begin the same for everybody. `$id` and `$hex` stand for what is made anew.

export const STARTS: { readonly [object: string]: { readonly [field: string]: unknown } } = {
  payment_method_domain: {
    amazon_pay: { status: 'active' },
    apple_pay: { status: 'active' },
    google_pay: { status: 'active' },
    klarna: { status: 'active' },
    link: { status: 'active' },
    paypal: { status: 'active' },
    enabled: true,
  },
  'radar.value_list': {
    created_by: 'sk_test',
    item_type: 'string',
    list_items: { object: 'list', data: [], has_more: false, url: '/v1/radar/value_list_items' },
  },
  'radar.value_list_item': { created_by: 'sk_test' },
  'terminal.location': {
    display_name: '',
    address: { city: null, country: null, line1: null, line2: null, postal_code: null, state: null },
  },
  'terminal.reader': {
    device_type: 'simulated_wisepos_e',
    label: '',
    serial_number: '$hex',
    status: 'online',
  },
  'tax.registration': { active_from: '$now', expires_at: null, status: 'active' },
};
