// Generated from schema/world.schema.json by `npm run generate`. Do not edit.
var __getOwnPropNames = Object.getOwnPropertyNames;
var __commonJS = (cb, mod) => function() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};

// node_modules/ajv/dist/runtime/ucs2length.js
var require_ucs2length = __commonJS({
  "node_modules/ajv/dist/runtime/ucs2length.js"(exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: !0 });
    function ucs2length(str) {
      let len = str.length, length = 0, pos = 0, value;
      for (; pos < len; )
        length++, value = str.charCodeAt(pos++), value >= 55296 && value <= 56319 && pos < len && (value = str.charCodeAt(pos), (value & 64512) === 56320 && pos++);
      return length;
    }
    exports.default = ucs2length;
    ucs2length.code = 'require("ajv/dist/runtime/ucs2length").default';
  }
});

// <stdin>
var validateWorldConfig = validate10, schema11 = { $schema: "http://json-schema.org/draft-07/schema#", $id: "urn:wrld:schema:world:1", title: "A wrld world (.wrld/world.json)", description: "Which twins answer in this world, which services it has, and what its apps may reach outside it. Unknown keys are refused.", type: "object", required: ["name"], additionalProperties: !1, properties: { $schema: { description: "Where an editor finds this schema; not read by wrld.", type: "string" }, name: { description: "The world's name, `<org>/<world>`: each part lower-case letters, digits and single hyphens. Together at most 61 characters, so that `<world>--<org>` fits one DNS label.", type: "string", examples: ["acme/shop"] }, services: { description: "What the world has of its own, by name: twins of vendors (`twin`), and other services at an address of this machine or network (`address`).", type: "object", propertyNames: { pattern: "^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$", maxLength: 63 }, additionalProperties: { type: "object", if: { required: ["address"] }, then: { additionalProperties: !1, properties: { address: { description: "`host:port` that apps reach this service at.", type: "string", examples: ["127.0.0.1:5432"] } } }, else: { required: ["twin"], additionalProperties: !1, properties: { twin: { description: "The twin that answers for this vendor: the name of one that ships with wrld (`stripe`, `openai`, `anthropic`), or a module (`./twins/acme.ts`, a package's name).", type: "string", minLength: 1, examples: ["stripe"] }, colocate: { description: "Files of the world's folder that belong to this twin.", type: "object", additionalProperties: !1, properties: { scenarioPath: { description: "The twin's handlers file, relative to the world's folder and inside it.", type: "string", minLength: 1, examples: ["scenarios/stripe.json"] } } }, root: { description: "The real vendor behind this twin, which the world copies and deploys to. It is set when the world starts and has none yet; `PUT \u2026/twins/<vendor>/root` changes it.", type: "object", required: ["url"], additionalProperties: !1, properties: { url: { description: "Where the vendor's API begins: https and a hostname. A world that only this machine reaches may also name http(s)://127.0.0.1:<port>/\u2026.", type: "string", examples: ["https://api.stripe.com"] }, deploy: { description: "`auto`: what is pushed is performed there at once. `manual`: when somebody deploys it. `never`: it is not performed there. `manual` unless said.", type: "string", enum: ["auto", "manual", "never"] }, refresh: { description: "How often it is copied; the twin's own pace unless said.", type: "object", additionalProperties: !1, properties: { every: { description: "A duration from 10s to 31d (`15m`), or null: only when asked.", type: ["string", "null"], examples: ["15m"] }, atMost: { description: "A duration up to 31d (`1m`): no more often, unless forced.", type: "string", examples: ["1m"] } } } } } } } } }, runtime: { description: "How apps run in this world.", type: "object", additionalProperties: !1, properties: { phase: { description: "`build`: the world builds software; only such a world may list `network.passthrough`.", type: "string", enum: ["build"] }, network: { description: "What may leave the world. A destination is an origin (`https://api.example.com`), one exact path (`https://api.example.com/v1/rates`), or a subtree ending in `/` (`https://api.example.com/v1/`). No wildcards.", type: "object", additionalProperties: !1, properties: { egress: { description: "Destinations that may be read: GET, HEAD and OPTIONS.", type: "array", items: { type: "string" }, default: [] }, writes: { description: "Destinations that every other method may reach.", type: "array", items: { type: "string" }, default: [] }, passthrough: { description: "Whole origins that are tunnelled unread. Only in a `phase: build` world, and each must be granted as a whole origin in `egress`.", type: "array", items: { type: "string" }, default: [] }, ownLoopback: { description: "Whether a run may reach, through the proxy, the listeners it holds on loopback.", type: "boolean", default: !0 } } }, extraHosts: { description: "Names pinned to IP addresses, as compose's `extra_hosts` does. A pinned loopback address is meant; an unpinned name that resolves to one is refused.", type: "object", additionalProperties: { type: "string" }, examples: [{ "api.internal.test": "127.0.0.1" }] }, app: { description: "Hosts that the world routes to the application itself.", type: "object", required: ["hosts", "upstream"], additionalProperties: !1, properties: { hosts: { type: "array", items: { type: "string" }, minItems: 1, examples: [["shop.test"]] }, upstream: { description: "The origin the application listens at.", type: "string", examples: ["http://127.0.0.1:3000"] } } } } }, parent: { description: "The folder of the world this one is held to, relative to this world's folder: nothing leaves that the parent's `runtime.network` does not list.", type: "string", minLength: 1, examples: ["../company"] } } }, func2 = require_ucs2length().default, pattern0 = new RegExp("^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$", "u");
function validate10(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null, errors = 0;
  if (data && typeof data == "object" && !Array.isArray(data)) {
    if (data.name === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "name" }, message: "must have required property 'name'", schema: schema11.required, parentSchema: schema11, data };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    for (let key0 in data)
      if (!(key0 === "$schema" || key0 === "name" || key0 === "services" || key0 === "runtime" || key0 === "parent")) {
        let err1 = { instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11, data };
        vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
      }
    if (data.$schema !== void 0) {
      let data0 = data.$schema;
      if (typeof data0 != "string") {
        let err2 = { instancePath: instancePath + "/$schema", schemaPath: "#/properties/%24schema/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.$schema.type, parentSchema: schema11.properties.$schema, data: data0 };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    if (data.name !== void 0) {
      let data1 = data.name;
      if (typeof data1 != "string") {
        let err3 = { instancePath: instancePath + "/name", schemaPath: "#/properties/name/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.name.type, parentSchema: schema11.properties.name, data: data1 };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
    }
    if (data.services !== void 0) {
      let data2 = data.services;
      if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
        for (let key1 in data2) {
          let _errs8 = errors;
          if (typeof key1 == "string") {
            if (func2(key1) > 63) {
              let err4 = { instancePath: instancePath + "/services", schemaPath: "#/properties/services/propertyNames/maxLength", keyword: "maxLength", params: { limit: 63 }, message: "must NOT have more than 63 characters", schema: 63, parentSchema: schema11.properties.services.propertyNames, data: key1, propertyName: key1 };
              vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
            }
            if (!pattern0.test(key1)) {
              let err5 = { instancePath: instancePath + "/services", schemaPath: "#/properties/services/propertyNames/pattern", keyword: "pattern", params: { pattern: "^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$" }, message: 'must match pattern "^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$"', schema: "^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$", parentSchema: schema11.properties.services.propertyNames, data: key1, propertyName: key1 };
              vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
            }
          }
          var valid1 = _errs8 === errors;
          if (!valid1) {
            let err6 = { instancePath: instancePath + "/services", schemaPath: "#/properties/services/propertyNames", keyword: "propertyNames", params: { propertyName: key1 }, message: "property name must be valid", schema: schema11.properties.services.propertyNames, parentSchema: schema11.properties.services, data: data2 };
            vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
          }
        }
        for (let key2 in data2) {
          let data3 = data2[key2];
          if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
            let err7 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"), schemaPath: "#/properties/services/additionalProperties/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.services.additionalProperties.type, parentSchema: schema11.properties.services.additionalProperties, data: data3 };
            vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
          }
          let _errs12 = errors, valid3 = !0, _errs13 = errors;
          if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
            let missing0;
            if (data3.address === void 0 && (missing0 = "address")) {
              let err8 = {};
              vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
            }
          }
          var _valid0 = _errs13 === errors;
          errors = _errs12, vErrors !== null && (_errs12 ? vErrors.length = _errs12 : vErrors = null);
          let ifClause0;
          if (_valid0) {
            let _errs14 = errors;
            if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
              for (let key3 in data3)
                if (key3 !== "address") {
                  let err9 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"), schemaPath: "#/properties/services/additionalProperties/then/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key3 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11.properties.services.additionalProperties.then, data: data3 };
                  vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
                }
              if (data3.address !== void 0) {
                let data4 = data3.address;
                if (typeof data4 != "string") {
                  let err10 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/address", schemaPath: "#/properties/services/additionalProperties/then/properties/address/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.services.additionalProperties.then.properties.address.type, parentSchema: schema11.properties.services.additionalProperties.then.properties.address, data: data4 };
                  vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
                }
              }
            }
            var _valid0 = _errs14 === errors;
            valid3 = _valid0, ifClause0 = "then";
          } else {
            let _errs18 = errors;
            if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
              if (data3.twin === void 0) {
                let err11 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"), schemaPath: "#/properties/services/additionalProperties/else/required", keyword: "required", params: { missingProperty: "twin" }, message: "must have required property 'twin'", schema: schema11.properties.services.additionalProperties.else.required, parentSchema: schema11.properties.services.additionalProperties.else, data: data3 };
                vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
              }
              for (let key4 in data3)
                if (!(key4 === "twin" || key4 === "colocate" || key4 === "root")) {
                  let err12 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"), schemaPath: "#/properties/services/additionalProperties/else/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key4 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11.properties.services.additionalProperties.else, data: data3 };
                  vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
                }
              if (data3.twin !== void 0) {
                let data5 = data3.twin;
                if (typeof data5 == "string") {
                  if (func2(data5) < 1) {
                    let err13 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/twin", schemaPath: "#/properties/services/additionalProperties/else/properties/twin/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters", schema: 1, parentSchema: schema11.properties.services.additionalProperties.else.properties.twin, data: data5 };
                    vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
                  }
                } else {
                  let err14 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/twin", schemaPath: "#/properties/services/additionalProperties/else/properties/twin/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.services.additionalProperties.else.properties.twin.type, parentSchema: schema11.properties.services.additionalProperties.else.properties.twin, data: data5 };
                  vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
                }
              }
              if (data3.colocate !== void 0) {
                let data6 = data3.colocate;
                if (data6 && typeof data6 == "object" && !Array.isArray(data6)) {
                  for (let key5 in data6)
                    if (key5 !== "scenarioPath") {
                      let err15 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/colocate", schemaPath: "#/properties/services/additionalProperties/else/properties/colocate/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key5 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11.properties.services.additionalProperties.else.properties.colocate, data: data6 };
                      vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
                    }
                  if (data6.scenarioPath !== void 0) {
                    let data7 = data6.scenarioPath;
                    if (typeof data7 == "string") {
                      if (func2(data7) < 1) {
                        let err16 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/colocate/scenarioPath", schemaPath: "#/properties/services/additionalProperties/else/properties/colocate/properties/scenarioPath/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters", schema: 1, parentSchema: schema11.properties.services.additionalProperties.else.properties.colocate.properties.scenarioPath, data: data7 };
                        vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
                      }
                    } else {
                      let err17 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/colocate/scenarioPath", schemaPath: "#/properties/services/additionalProperties/else/properties/colocate/properties/scenarioPath/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.services.additionalProperties.else.properties.colocate.properties.scenarioPath.type, parentSchema: schema11.properties.services.additionalProperties.else.properties.colocate.properties.scenarioPath, data: data7 };
                      vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
                    }
                  }
                } else {
                  let err18 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/colocate", schemaPath: "#/properties/services/additionalProperties/else/properties/colocate/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.services.additionalProperties.else.properties.colocate.type, parentSchema: schema11.properties.services.additionalProperties.else.properties.colocate, data: data6 };
                  vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
                }
              }
              if (data3.root !== void 0) {
                let data8 = data3.root;
                if (data8 && typeof data8 == "object" && !Array.isArray(data8)) {
                  if (data8.url === void 0) {
                    let err19 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root", schemaPath: "#/properties/services/additionalProperties/else/properties/root/required", keyword: "required", params: { missingProperty: "url" }, message: "must have required property 'url'", schema: schema11.properties.services.additionalProperties.else.properties.root.required, parentSchema: schema11.properties.services.additionalProperties.else.properties.root, data: data8 };
                    vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
                  }
                  for (let key6 in data8)
                    if (!(key6 === "url" || key6 === "deploy" || key6 === "refresh")) {
                      let err20 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root", schemaPath: "#/properties/services/additionalProperties/else/properties/root/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key6 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11.properties.services.additionalProperties.else.properties.root, data: data8 };
                      vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
                    }
                  if (data8.url !== void 0) {
                    let data9 = data8.url;
                    if (typeof data9 != "string") {
                      let err21 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root/url", schemaPath: "#/properties/services/additionalProperties/else/properties/root/properties/url/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.services.additionalProperties.else.properties.root.properties.url.type, parentSchema: schema11.properties.services.additionalProperties.else.properties.root.properties.url, data: data9 };
                      vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
                    }
                  }
                  if (data8.deploy !== void 0) {
                    let data10 = data8.deploy;
                    if (typeof data10 != "string") {
                      let err22 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root/deploy", schemaPath: "#/properties/services/additionalProperties/else/properties/root/properties/deploy/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.services.additionalProperties.else.properties.root.properties.deploy.type, parentSchema: schema11.properties.services.additionalProperties.else.properties.root.properties.deploy, data: data10 };
                      vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
                    }
                    if (!(data10 === "auto" || data10 === "manual" || data10 === "never")) {
                      let err23 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root/deploy", schemaPath: "#/properties/services/additionalProperties/else/properties/root/properties/deploy/enum", keyword: "enum", params: { allowedValues: schema11.properties.services.additionalProperties.else.properties.root.properties.deploy.enum }, message: "must be equal to one of the allowed values", schema: schema11.properties.services.additionalProperties.else.properties.root.properties.deploy.enum, parentSchema: schema11.properties.services.additionalProperties.else.properties.root.properties.deploy, data: data10 };
                      vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
                    }
                  }
                  if (data8.refresh !== void 0) {
                    let data11 = data8.refresh;
                    if (data11 && typeof data11 == "object" && !Array.isArray(data11)) {
                      for (let key7 in data11)
                        if (!(key7 === "every" || key7 === "atMost")) {
                          let err24 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root/refresh", schemaPath: "#/properties/services/additionalProperties/else/properties/root/properties/refresh/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key7 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11.properties.services.additionalProperties.else.properties.root.properties.refresh, data: data11 };
                          vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
                        }
                      if (data11.every !== void 0) {
                        let data12 = data11.every;
                        if (typeof data12 != "string" && data12 !== null) {
                          let err25 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root/refresh/every", schemaPath: "#/properties/services/additionalProperties/else/properties/root/properties/refresh/properties/every/type", keyword: "type", params: { type: schema11.properties.services.additionalProperties.else.properties.root.properties.refresh.properties.every.type }, message: "must be string,null", schema: schema11.properties.services.additionalProperties.else.properties.root.properties.refresh.properties.every.type, parentSchema: schema11.properties.services.additionalProperties.else.properties.root.properties.refresh.properties.every, data: data12 };
                          vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
                        }
                      }
                      if (data11.atMost !== void 0) {
                        let data13 = data11.atMost;
                        if (typeof data13 != "string") {
                          let err26 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root/refresh/atMost", schemaPath: "#/properties/services/additionalProperties/else/properties/root/properties/refresh/properties/atMost/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.services.additionalProperties.else.properties.root.properties.refresh.properties.atMost.type, parentSchema: schema11.properties.services.additionalProperties.else.properties.root.properties.refresh.properties.atMost, data: data13 };
                          vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
                        }
                      }
                    } else {
                      let err27 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root/refresh", schemaPath: "#/properties/services/additionalProperties/else/properties/root/properties/refresh/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.services.additionalProperties.else.properties.root.properties.refresh.type, parentSchema: schema11.properties.services.additionalProperties.else.properties.root.properties.refresh, data: data11 };
                      vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
                    }
                  }
                } else {
                  let err28 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1") + "/root", schemaPath: "#/properties/services/additionalProperties/else/properties/root/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.services.additionalProperties.else.properties.root.type, parentSchema: schema11.properties.services.additionalProperties.else.properties.root, data: data8 };
                  vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
                }
              }
            }
            var _valid0 = _errs18 === errors;
            valid3 = _valid0, ifClause0 = "else";
          }
          if (!valid3) {
            let err29 = { instancePath: instancePath + "/services/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"), schemaPath: "#/properties/services/additionalProperties/if", keyword: "if", params: { failingKeyword: ifClause0 }, message: 'must match "' + ifClause0 + '" schema', schema: schema11.properties.services.additionalProperties.if, parentSchema: schema11.properties.services.additionalProperties, data: data3 };
            vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
          }
        }
      } else {
        let err30 = { instancePath: instancePath + "/services", schemaPath: "#/properties/services/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.services.type, parentSchema: schema11.properties.services, data: data2 };
        vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
      }
    }
    if (data.runtime !== void 0) {
      let data14 = data.runtime;
      if (data14 && typeof data14 == "object" && !Array.isArray(data14)) {
        for (let key8 in data14)
          if (!(key8 === "phase" || key8 === "network" || key8 === "extraHosts" || key8 === "app")) {
            let err31 = { instancePath: instancePath + "/runtime", schemaPath: "#/properties/runtime/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key8 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11.properties.runtime, data: data14 };
            vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
          }
        if (data14.phase !== void 0) {
          let data15 = data14.phase;
          if (typeof data15 != "string") {
            let err32 = { instancePath: instancePath + "/runtime/phase", schemaPath: "#/properties/runtime/properties/phase/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.runtime.properties.phase.type, parentSchema: schema11.properties.runtime.properties.phase, data: data15 };
            vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
          }
          if (data15 !== "build") {
            let err33 = { instancePath: instancePath + "/runtime/phase", schemaPath: "#/properties/runtime/properties/phase/enum", keyword: "enum", params: { allowedValues: schema11.properties.runtime.properties.phase.enum }, message: "must be equal to one of the allowed values", schema: schema11.properties.runtime.properties.phase.enum, parentSchema: schema11.properties.runtime.properties.phase, data: data15 };
            vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
          }
        }
        if (data14.network !== void 0) {
          let data16 = data14.network;
          if (data16 && typeof data16 == "object" && !Array.isArray(data16)) {
            for (let key9 in data16)
              if (!(key9 === "egress" || key9 === "writes" || key9 === "passthrough" || key9 === "ownLoopback")) {
                let err34 = { instancePath: instancePath + "/runtime/network", schemaPath: "#/properties/runtime/properties/network/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key9 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11.properties.runtime.properties.network, data: data16 };
                vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
              }
            if (data16.egress !== void 0) {
              let data17 = data16.egress;
              if (Array.isArray(data17)) {
                let len0 = data17.length;
                for (let i0 = 0; i0 < len0; i0++) {
                  let data18 = data17[i0];
                  if (typeof data18 != "string") {
                    let err35 = { instancePath: instancePath + "/runtime/network/egress/" + i0, schemaPath: "#/properties/runtime/properties/network/properties/egress/items/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.runtime.properties.network.properties.egress.items.type, parentSchema: schema11.properties.runtime.properties.network.properties.egress.items, data: data18 };
                    vErrors === null ? vErrors = [err35] : vErrors.push(err35), errors++;
                  }
                }
              } else {
                let err36 = { instancePath: instancePath + "/runtime/network/egress", schemaPath: "#/properties/runtime/properties/network/properties/egress/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema11.properties.runtime.properties.network.properties.egress.type, parentSchema: schema11.properties.runtime.properties.network.properties.egress, data: data17 };
                vErrors === null ? vErrors = [err36] : vErrors.push(err36), errors++;
              }
            }
            if (data16.writes !== void 0) {
              let data19 = data16.writes;
              if (Array.isArray(data19)) {
                let len1 = data19.length;
                for (let i1 = 0; i1 < len1; i1++) {
                  let data20 = data19[i1];
                  if (typeof data20 != "string") {
                    let err37 = { instancePath: instancePath + "/runtime/network/writes/" + i1, schemaPath: "#/properties/runtime/properties/network/properties/writes/items/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.runtime.properties.network.properties.writes.items.type, parentSchema: schema11.properties.runtime.properties.network.properties.writes.items, data: data20 };
                    vErrors === null ? vErrors = [err37] : vErrors.push(err37), errors++;
                  }
                }
              } else {
                let err38 = { instancePath: instancePath + "/runtime/network/writes", schemaPath: "#/properties/runtime/properties/network/properties/writes/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema11.properties.runtime.properties.network.properties.writes.type, parentSchema: schema11.properties.runtime.properties.network.properties.writes, data: data19 };
                vErrors === null ? vErrors = [err38] : vErrors.push(err38), errors++;
              }
            }
            if (data16.passthrough !== void 0) {
              let data21 = data16.passthrough;
              if (Array.isArray(data21)) {
                let len2 = data21.length;
                for (let i2 = 0; i2 < len2; i2++) {
                  let data22 = data21[i2];
                  if (typeof data22 != "string") {
                    let err39 = { instancePath: instancePath + "/runtime/network/passthrough/" + i2, schemaPath: "#/properties/runtime/properties/network/properties/passthrough/items/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.runtime.properties.network.properties.passthrough.items.type, parentSchema: schema11.properties.runtime.properties.network.properties.passthrough.items, data: data22 };
                    vErrors === null ? vErrors = [err39] : vErrors.push(err39), errors++;
                  }
                }
              } else {
                let err40 = { instancePath: instancePath + "/runtime/network/passthrough", schemaPath: "#/properties/runtime/properties/network/properties/passthrough/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema11.properties.runtime.properties.network.properties.passthrough.type, parentSchema: schema11.properties.runtime.properties.network.properties.passthrough, data: data21 };
                vErrors === null ? vErrors = [err40] : vErrors.push(err40), errors++;
              }
            }
            if (data16.ownLoopback !== void 0) {
              let data23 = data16.ownLoopback;
              if (typeof data23 != "boolean") {
                let err41 = { instancePath: instancePath + "/runtime/network/ownLoopback", schemaPath: "#/properties/runtime/properties/network/properties/ownLoopback/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema11.properties.runtime.properties.network.properties.ownLoopback.type, parentSchema: schema11.properties.runtime.properties.network.properties.ownLoopback, data: data23 };
                vErrors === null ? vErrors = [err41] : vErrors.push(err41), errors++;
              }
            }
          } else {
            let err42 = { instancePath: instancePath + "/runtime/network", schemaPath: "#/properties/runtime/properties/network/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.runtime.properties.network.type, parentSchema: schema11.properties.runtime.properties.network, data: data16 };
            vErrors === null ? vErrors = [err42] : vErrors.push(err42), errors++;
          }
        }
        if (data14.extraHosts !== void 0) {
          let data24 = data14.extraHosts;
          if (data24 && typeof data24 == "object" && !Array.isArray(data24))
            for (let key10 in data24) {
              let data25 = data24[key10];
              if (typeof data25 != "string") {
                let err43 = { instancePath: instancePath + "/runtime/extraHosts/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"), schemaPath: "#/properties/runtime/properties/extraHosts/additionalProperties/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.runtime.properties.extraHosts.additionalProperties.type, parentSchema: schema11.properties.runtime.properties.extraHosts.additionalProperties, data: data25 };
                vErrors === null ? vErrors = [err43] : vErrors.push(err43), errors++;
              }
            }
          else {
            let err44 = { instancePath: instancePath + "/runtime/extraHosts", schemaPath: "#/properties/runtime/properties/extraHosts/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.runtime.properties.extraHosts.type, parentSchema: schema11.properties.runtime.properties.extraHosts, data: data24 };
            vErrors === null ? vErrors = [err44] : vErrors.push(err44), errors++;
          }
        }
        if (data14.app !== void 0) {
          let data26 = data14.app;
          if (data26 && typeof data26 == "object" && !Array.isArray(data26)) {
            if (data26.hosts === void 0) {
              let err45 = { instancePath: instancePath + "/runtime/app", schemaPath: "#/properties/runtime/properties/app/required", keyword: "required", params: { missingProperty: "hosts" }, message: "must have required property 'hosts'", schema: schema11.properties.runtime.properties.app.required, parentSchema: schema11.properties.runtime.properties.app, data: data26 };
              vErrors === null ? vErrors = [err45] : vErrors.push(err45), errors++;
            }
            if (data26.upstream === void 0) {
              let err46 = { instancePath: instancePath + "/runtime/app", schemaPath: "#/properties/runtime/properties/app/required", keyword: "required", params: { missingProperty: "upstream" }, message: "must have required property 'upstream'", schema: schema11.properties.runtime.properties.app.required, parentSchema: schema11.properties.runtime.properties.app, data: data26 };
              vErrors === null ? vErrors = [err46] : vErrors.push(err46), errors++;
            }
            for (let key11 in data26)
              if (!(key11 === "hosts" || key11 === "upstream")) {
                let err47 = { instancePath: instancePath + "/runtime/app", schemaPath: "#/properties/runtime/properties/app/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key11 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11.properties.runtime.properties.app, data: data26 };
                vErrors === null ? vErrors = [err47] : vErrors.push(err47), errors++;
              }
            if (data26.hosts !== void 0) {
              let data27 = data26.hosts;
              if (Array.isArray(data27)) {
                if (data27.length < 1) {
                  let err48 = { instancePath: instancePath + "/runtime/app/hosts", schemaPath: "#/properties/runtime/properties/app/properties/hosts/minItems", keyword: "minItems", params: { limit: 1 }, message: "must NOT have fewer than 1 items", schema: 1, parentSchema: schema11.properties.runtime.properties.app.properties.hosts, data: data27 };
                  vErrors === null ? vErrors = [err48] : vErrors.push(err48), errors++;
                }
                let len3 = data27.length;
                for (let i3 = 0; i3 < len3; i3++) {
                  let data28 = data27[i3];
                  if (typeof data28 != "string") {
                    let err49 = { instancePath: instancePath + "/runtime/app/hosts/" + i3, schemaPath: "#/properties/runtime/properties/app/properties/hosts/items/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.runtime.properties.app.properties.hosts.items.type, parentSchema: schema11.properties.runtime.properties.app.properties.hosts.items, data: data28 };
                    vErrors === null ? vErrors = [err49] : vErrors.push(err49), errors++;
                  }
                }
              } else {
                let err50 = { instancePath: instancePath + "/runtime/app/hosts", schemaPath: "#/properties/runtime/properties/app/properties/hosts/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema11.properties.runtime.properties.app.properties.hosts.type, parentSchema: schema11.properties.runtime.properties.app.properties.hosts, data: data27 };
                vErrors === null ? vErrors = [err50] : vErrors.push(err50), errors++;
              }
            }
            if (data26.upstream !== void 0) {
              let data29 = data26.upstream;
              if (typeof data29 != "string") {
                let err51 = { instancePath: instancePath + "/runtime/app/upstream", schemaPath: "#/properties/runtime/properties/app/properties/upstream/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.runtime.properties.app.properties.upstream.type, parentSchema: schema11.properties.runtime.properties.app.properties.upstream, data: data29 };
                vErrors === null ? vErrors = [err51] : vErrors.push(err51), errors++;
              }
            }
          } else {
            let err52 = { instancePath: instancePath + "/runtime/app", schemaPath: "#/properties/runtime/properties/app/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.runtime.properties.app.type, parentSchema: schema11.properties.runtime.properties.app, data: data26 };
            vErrors === null ? vErrors = [err52] : vErrors.push(err52), errors++;
          }
        }
      } else {
        let err53 = { instancePath: instancePath + "/runtime", schemaPath: "#/properties/runtime/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.runtime.type, parentSchema: schema11.properties.runtime, data: data14 };
        vErrors === null ? vErrors = [err53] : vErrors.push(err53), errors++;
      }
    }
    if (data.parent !== void 0) {
      let data30 = data.parent;
      if (typeof data30 == "string") {
        if (func2(data30) < 1) {
          let err54 = { instancePath: instancePath + "/parent", schemaPath: "#/properties/parent/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters", schema: 1, parentSchema: schema11.properties.parent, data: data30 };
          vErrors === null ? vErrors = [err54] : vErrors.push(err54), errors++;
        }
      } else {
        let err55 = { instancePath: instancePath + "/parent", schemaPath: "#/properties/parent/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema11.properties.parent.type, parentSchema: schema11.properties.parent, data: data30 };
        vErrors === null ? vErrors = [err55] : vErrors.push(err55), errors++;
      }
    }
  } else {
    let err56 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.type, parentSchema: schema11, data };
    vErrors === null ? vErrors = [err56] : vErrors.push(err56), errors++;
  }
  return validate10.errors = vErrors, errors === 0;
}
export {
  validateWorldConfig
};
