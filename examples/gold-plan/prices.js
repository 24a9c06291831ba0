// What must hold of a changeset before it may be deployed: called for each of its entries.
export const check = {
  name: 'no price over 100',
  run: ({ changes }) =>
    changes.some(({ type, after }) => type === 'price' && after?.unit_amount > 10_000)
      ? { ok: false, message: 'a price is over 100' }
      : undefined,
};
