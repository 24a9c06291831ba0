// The refusals of what a version takes no longer, as Stripe words what it does not know.
import type { FormMap } from '../../kit/form.ts';
import { invalid } from '../api/errors.ts';
import { nodeAt } from './form.ts';

/** Parameters by name: each is unknown now. */
export function unknown(...names: readonly string[]): (form: FormMap) => void {
  return form => {
    const given = names.filter(name => form.has(name));
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
