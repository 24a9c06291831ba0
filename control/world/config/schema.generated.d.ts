// The types of config-schema.generated.js, whose code has none.
export type SchemaError = {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: { readonly [name: string]: unknown };
  readonly schema: unknown;
  readonly parentSchema: { readonly [keyword: string]: unknown };
  readonly data: unknown;
  readonly propertyName?: string;
};
export declare const validateWorldConfig: {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
};
