// The refusals of what a version takes no longer, as Stripe words what it does not know.
import type { FormMap, FormNode } from '../../kit/form.ts';
import { invalid } from '../api/errors.ts';
import { nodeAt } from './form.ts';

/** Parameters by name, as `phases[][iterations]`: each is unknown. */
export function unknown(...names: readonly string[]): (form: FormMap) => void {
  return form => {
    const given = names.flatMap(name => givenAt(form, name));
    const [first] = given;
    if (first === undefined) return;
    throw invalid(`Received unknown parameter${given.length > 1 ? 's' : ''}: ${given.join(', ')}`, {
      code: 'parameter_unknown',
      param: first,
    });
  };
}

/** A parameter that was text and is a hash now. */
export function noText(path: string): (form: FormMap) => void {
  return form => {
    if (typeof nodeAt(form, path) === 'string') throw invalid('Invalid object', { param: path });
  };
}

/** Where a parameter stands in a form, by each place of the lists on its way: `phases[0][duration]`. */
function givenAt(form: FormMap, name: string): readonly string[] {
  let places: readonly { readonly at: string; readonly node: FormNode }[] = [{ at: '', node: form }];
  for (const segment of name.split('[').map(part => part.replace(']', '')))
    places = places.flatMap(({ at, node }) =>
      node instanceof Map
        ? [...node]
            .filter(([key]) => segment === '' || key === segment)
            .map(([key, inner]) => ({ at: at === '' ? key : `${at}[${key}]`, node: inner }))
        : [],
    );
  return places.map(({ at }) => at);
}
