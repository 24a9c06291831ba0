// The types of browser-schema.generated.js, whose code has none.
import type { SchemaError } from '../config/schema.generated.js';

export declare const validateBrowserProfile: {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
};
