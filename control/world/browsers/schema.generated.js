// Generated from schema/browser-profile.schema.json by `npm run generate`. Do not edit.
// <stdin>
var validateBrowserProfile = validate10, schema11 = { $schema: "http://json-schema.org/draft-07/schema#", $id: "urn:wrld:schema:browser-profile:1", title: "A browser profile of a wrld world (.wrld/browsers/<name>.json)", description: "The signed-in state of one browser, and what a context is made with. Unknown keys are refused.", type: "object", required: ["storageState"], additionalProperties: !1, properties: { storageState: { type: "object", required: ["cookies", "origins"], additionalProperties: !1, properties: { cookies: { type: "array", items: { $ref: "#/definitions/cookie" } }, origins: { type: "array", items: { $ref: "#/definitions/origin" } } } }, context: { $ref: "#/definitions/context" } }, definitions: { cookie: { type: "object", required: ["name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite"], additionalProperties: !1, properties: { name: { description: "Unique among the cookies.", type: "string", pattern: "^[\\u0020-\\u003a\\u003c\\u003e-\\u007e\\u0080-\\u00ff]*$" }, value: { description: "Spaces are kept; no control characters, no semicolons, nothing above U+00FF.", type: "string", pattern: "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$" }, domain: { description: "The vendor's real domain; a leading dot says that its subdomains have the cookie too.", type: "string", pattern: "^\\.?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$" }, path: { type: "string", pattern: "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$" }, expires: { description: "Unix seconds, or -1 for a session cookie.", type: "number", minimum: -1 }, httpOnly: { type: "boolean" }, secure: { type: "boolean" }, sameSite: { enum: ["Strict", "Lax", "None"] }, partitionKey: { type: "string" }, _crHasCrossSiteAncestor: { type: "boolean" } } }, origin: { type: "object", required: ["origin", "localStorage"], additionalProperties: !1, properties: { origin: { description: "A canonical http or https origin, without a path; unique among the origins.", type: "string" }, localStorage: { type: "array", items: { type: "object", required: ["name", "value"], additionalProperties: !1, properties: { name: { type: "string" }, value: { type: "string" } } } }, indexedDB: { type: "array", items: { $ref: "#/definitions/database" } } } }, database: { type: "object", required: ["name", "version", "stores"], additionalProperties: !1, properties: { name: { type: "string" }, version: { type: "number" }, stores: { type: "array", items: { type: "object", required: ["name", "autoIncrement", "records", "indexes"], additionalProperties: !1, properties: { name: { type: "string" }, autoIncrement: { type: "boolean" }, keyPath: { type: "string" }, keyPathArray: { type: "array", items: { type: "string" } }, records: { description: "Encoded values stay as they are.", type: "array", items: { type: "object", additionalProperties: !1, properties: { key: {}, keyEncoded: {}, value: {}, valueEncoded: {} } } }, indexes: { type: "array", items: { type: "object", required: ["name", "multiEntry", "unique"], additionalProperties: !1, properties: { name: { type: "string" }, keyPath: { type: "string" }, keyPathArray: { type: "array", items: { type: "string" } }, multiEntry: { type: "boolean" }, unique: { type: "boolean" } } } } } } } } }, header: { description: "What an HTTP header may say: printable, at most U+00FF, no space at its ends.", type: "string", pattern: "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$" }, context: { type: "object", additionalProperties: !1, properties: { permissions: { type: "array", items: { type: "string" } }, geolocation: { type: "object", required: ["latitude", "longitude"], additionalProperties: !1, properties: { latitude: { type: "number", minimum: -90, maximum: 90 }, longitude: { type: "number", minimum: -180, maximum: 180 }, accuracy: { type: "number", minimum: 0 } } }, locale: { $ref: "#/definitions/header" }, timezoneId: { type: "string" }, userAgent: { $ref: "#/definitions/header" }, viewport: { type: "object", nullable: !0, required: ["width", "height"], additionalProperties: !1, properties: { width: { type: "integer", minimum: 0 }, height: { type: "integer", minimum: 0 } } }, deviceScaleFactor: { type: "number", exclusiveMinimum: 0 }, isMobile: { type: "boolean" }, hasTouch: { type: "boolean" }, colorScheme: { enum: ["light", "dark", "no-preference", null] }, reducedMotion: { enum: ["reduce", "no-preference", null] }, extraHTTPHeaders: { type: "object", propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }, additionalProperties: { $ref: "#/definitions/header" } }, offline: { type: "boolean" } } } } }, schema12 = { type: "object", required: ["name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite"], additionalProperties: !1, properties: { name: { description: "Unique among the cookies.", type: "string", pattern: "^[\\u0020-\\u003a\\u003c\\u003e-\\u007e\\u0080-\\u00ff]*$" }, value: { description: "Spaces are kept; no control characters, no semicolons, nothing above U+00FF.", type: "string", pattern: "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$" }, domain: { description: "The vendor's real domain; a leading dot says that its subdomains have the cookie too.", type: "string", pattern: "^\\.?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$" }, path: { type: "string", pattern: "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$" }, expires: { description: "Unix seconds, or -1 for a session cookie.", type: "number", minimum: -1 }, httpOnly: { type: "boolean" }, secure: { type: "boolean" }, sameSite: { enum: ["Strict", "Lax", "None"] }, partitionKey: { type: "string" }, _crHasCrossSiteAncestor: { type: "boolean" } } }, func2 = Object.prototype.hasOwnProperty, pattern0 = new RegExp("^[\\u0020-\\u003a\\u003c\\u003e-\\u007e\\u0080-\\u00ff]*$", "u"), pattern1 = new RegExp("^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$", "u"), pattern2 = new RegExp("^\\.?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$", "u"), schema13 = { type: "object", required: ["origin", "localStorage"], additionalProperties: !1, properties: { origin: { description: "A canonical http or https origin, without a path; unique among the origins.", type: "string" }, localStorage: { type: "array", items: { type: "object", required: ["name", "value"], additionalProperties: !1, properties: { name: { type: "string" }, value: { type: "string" } } } }, indexedDB: { type: "array", items: { $ref: "#/definitions/database" } } } }, schema14 = { type: "object", required: ["name", "version", "stores"], additionalProperties: !1, properties: { name: { type: "string" }, version: { type: "number" }, stores: { type: "array", items: { type: "object", required: ["name", "autoIncrement", "records", "indexes"], additionalProperties: !1, properties: { name: { type: "string" }, autoIncrement: { type: "boolean" }, keyPath: { type: "string" }, keyPathArray: { type: "array", items: { type: "string" } }, records: { description: "Encoded values stay as they are.", type: "array", items: { type: "object", additionalProperties: !1, properties: { key: {}, keyEncoded: {}, value: {}, valueEncoded: {} } } }, indexes: { type: "array", items: { type: "object", required: ["name", "multiEntry", "unique"], additionalProperties: !1, properties: { name: { type: "string" }, keyPath: { type: "string" }, keyPathArray: { type: "array", items: { type: "string" } }, multiEntry: { type: "boolean" }, unique: { type: "boolean" } } } } } } } } };
function validate11(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null, errors = 0;
  if (data && typeof data == "object" && !Array.isArray(data)) {
    if (data.origin === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "origin" }, message: "must have required property 'origin'", schema: schema13.required, parentSchema: schema13, data };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.localStorage === void 0) {
      let err1 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "localStorage" }, message: "must have required property 'localStorage'", schema: schema13.required, parentSchema: schema13, data };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    for (let key0 in data)
      if (!(key0 === "origin" || key0 === "localStorage" || key0 === "indexedDB")) {
        let err2 = { instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema13, data };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    if (data.origin !== void 0) {
      let data0 = data.origin;
      if (typeof data0 != "string") {
        let err3 = { instancePath: instancePath + "/origin", schemaPath: "#/properties/origin/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema13.properties.origin.type, parentSchema: schema13.properties.origin, data: data0 };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
    }
    if (data.localStorage !== void 0) {
      let data1 = data.localStorage;
      if (Array.isArray(data1)) {
        let len0 = data1.length;
        for (let i0 = 0; i0 < len0; i0++) {
          let data2 = data1[i0];
          if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
            if (data2.name === void 0) {
              let err4 = { instancePath: instancePath + "/localStorage/" + i0, schemaPath: "#/properties/localStorage/items/required", keyword: "required", params: { missingProperty: "name" }, message: "must have required property 'name'", schema: schema13.properties.localStorage.items.required, parentSchema: schema13.properties.localStorage.items, data: data2 };
              vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
            }
            if (data2.value === void 0) {
              let err5 = { instancePath: instancePath + "/localStorage/" + i0, schemaPath: "#/properties/localStorage/items/required", keyword: "required", params: { missingProperty: "value" }, message: "must have required property 'value'", schema: schema13.properties.localStorage.items.required, parentSchema: schema13.properties.localStorage.items, data: data2 };
              vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
            }
            for (let key1 in data2)
              if (!(key1 === "name" || key1 === "value")) {
                let err6 = { instancePath: instancePath + "/localStorage/" + i0, schemaPath: "#/properties/localStorage/items/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema13.properties.localStorage.items, data: data2 };
                vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
              }
            if (data2.name !== void 0) {
              let data3 = data2.name;
              if (typeof data3 != "string") {
                let err7 = { instancePath: instancePath + "/localStorage/" + i0 + "/name", schemaPath: "#/properties/localStorage/items/properties/name/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema13.properties.localStorage.items.properties.name.type, parentSchema: schema13.properties.localStorage.items.properties.name, data: data3 };
                vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
              }
            }
            if (data2.value !== void 0) {
              let data4 = data2.value;
              if (typeof data4 != "string") {
                let err8 = { instancePath: instancePath + "/localStorage/" + i0 + "/value", schemaPath: "#/properties/localStorage/items/properties/value/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema13.properties.localStorage.items.properties.value.type, parentSchema: schema13.properties.localStorage.items.properties.value, data: data4 };
                vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
              }
            }
          } else {
            let err9 = { instancePath: instancePath + "/localStorage/" + i0, schemaPath: "#/properties/localStorage/items/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema13.properties.localStorage.items.type, parentSchema: schema13.properties.localStorage.items, data: data2 };
            vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
          }
        }
      } else {
        let err10 = { instancePath: instancePath + "/localStorage", schemaPath: "#/properties/localStorage/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema13.properties.localStorage.type, parentSchema: schema13.properties.localStorage, data: data1 };
        vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
      }
    }
    if (data.indexedDB !== void 0) {
      let data5 = data.indexedDB;
      if (Array.isArray(data5)) {
        let len1 = data5.length;
        for (let i1 = 0; i1 < len1; i1++) {
          let data6 = data5[i1];
          if (data6 && typeof data6 == "object" && !Array.isArray(data6)) {
            if (data6.name === void 0) {
              let err11 = { instancePath: instancePath + "/indexedDB/" + i1, schemaPath: "#/definitions/database/required", keyword: "required", params: { missingProperty: "name" }, message: "must have required property 'name'", schema: schema14.required, parentSchema: schema14, data: data6 };
              vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
            }
            if (data6.version === void 0) {
              let err12 = { instancePath: instancePath + "/indexedDB/" + i1, schemaPath: "#/definitions/database/required", keyword: "required", params: { missingProperty: "version" }, message: "must have required property 'version'", schema: schema14.required, parentSchema: schema14, data: data6 };
              vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
            }
            if (data6.stores === void 0) {
              let err13 = { instancePath: instancePath + "/indexedDB/" + i1, schemaPath: "#/definitions/database/required", keyword: "required", params: { missingProperty: "stores" }, message: "must have required property 'stores'", schema: schema14.required, parentSchema: schema14, data: data6 };
              vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
            }
            for (let key2 in data6)
              if (!(key2 === "name" || key2 === "version" || key2 === "stores")) {
                let err14 = { instancePath: instancePath + "/indexedDB/" + i1, schemaPath: "#/definitions/database/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key2 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema14, data: data6 };
                vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
              }
            if (data6.name !== void 0) {
              let data7 = data6.name;
              if (typeof data7 != "string") {
                let err15 = { instancePath: instancePath + "/indexedDB/" + i1 + "/name", schemaPath: "#/definitions/database/properties/name/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema14.properties.name.type, parentSchema: schema14.properties.name, data: data7 };
                vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
              }
            }
            if (data6.version !== void 0) {
              let data8 = data6.version;
              if (!(typeof data8 == "number" && isFinite(data8))) {
                let err16 = { instancePath: instancePath + "/indexedDB/" + i1 + "/version", schemaPath: "#/definitions/database/properties/version/type", keyword: "type", params: { type: "number" }, message: "must be number", schema: schema14.properties.version.type, parentSchema: schema14.properties.version, data: data8 };
                vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
              }
            }
            if (data6.stores !== void 0) {
              let data9 = data6.stores;
              if (Array.isArray(data9)) {
                let len2 = data9.length;
                for (let i2 = 0; i2 < len2; i2++) {
                  let data10 = data9[i2];
                  if (data10 && typeof data10 == "object" && !Array.isArray(data10)) {
                    if (data10.name === void 0) {
                      let err17 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2, schemaPath: "#/definitions/database/properties/stores/items/required", keyword: "required", params: { missingProperty: "name" }, message: "must have required property 'name'", schema: schema14.properties.stores.items.required, parentSchema: schema14.properties.stores.items, data: data10 };
                      vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
                    }
                    if (data10.autoIncrement === void 0) {
                      let err18 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2, schemaPath: "#/definitions/database/properties/stores/items/required", keyword: "required", params: { missingProperty: "autoIncrement" }, message: "must have required property 'autoIncrement'", schema: schema14.properties.stores.items.required, parentSchema: schema14.properties.stores.items, data: data10 };
                      vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
                    }
                    if (data10.records === void 0) {
                      let err19 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2, schemaPath: "#/definitions/database/properties/stores/items/required", keyword: "required", params: { missingProperty: "records" }, message: "must have required property 'records'", schema: schema14.properties.stores.items.required, parentSchema: schema14.properties.stores.items, data: data10 };
                      vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
                    }
                    if (data10.indexes === void 0) {
                      let err20 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2, schemaPath: "#/definitions/database/properties/stores/items/required", keyword: "required", params: { missingProperty: "indexes" }, message: "must have required property 'indexes'", schema: schema14.properties.stores.items.required, parentSchema: schema14.properties.stores.items, data: data10 };
                      vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
                    }
                    for (let key3 in data10)
                      if (!(key3 === "name" || key3 === "autoIncrement" || key3 === "keyPath" || key3 === "keyPathArray" || key3 === "records" || key3 === "indexes")) {
                        let err21 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2, schemaPath: "#/definitions/database/properties/stores/items/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key3 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema14.properties.stores.items, data: data10 };
                        vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
                      }
                    if (data10.name !== void 0) {
                      let data11 = data10.name;
                      if (typeof data11 != "string") {
                        let err22 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/name", schemaPath: "#/definitions/database/properties/stores/items/properties/name/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema14.properties.stores.items.properties.name.type, parentSchema: schema14.properties.stores.items.properties.name, data: data11 };
                        vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
                      }
                    }
                    if (data10.autoIncrement !== void 0) {
                      let data12 = data10.autoIncrement;
                      if (typeof data12 != "boolean") {
                        let err23 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/autoIncrement", schemaPath: "#/definitions/database/properties/stores/items/properties/autoIncrement/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema14.properties.stores.items.properties.autoIncrement.type, parentSchema: schema14.properties.stores.items.properties.autoIncrement, data: data12 };
                        vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
                      }
                    }
                    if (data10.keyPath !== void 0) {
                      let data13 = data10.keyPath;
                      if (typeof data13 != "string") {
                        let err24 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/keyPath", schemaPath: "#/definitions/database/properties/stores/items/properties/keyPath/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema14.properties.stores.items.properties.keyPath.type, parentSchema: schema14.properties.stores.items.properties.keyPath, data: data13 };
                        vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
                      }
                    }
                    if (data10.keyPathArray !== void 0) {
                      let data14 = data10.keyPathArray;
                      if (Array.isArray(data14)) {
                        let len3 = data14.length;
                        for (let i3 = 0; i3 < len3; i3++) {
                          let data15 = data14[i3];
                          if (typeof data15 != "string") {
                            let err25 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/keyPathArray/" + i3, schemaPath: "#/definitions/database/properties/stores/items/properties/keyPathArray/items/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema14.properties.stores.items.properties.keyPathArray.items.type, parentSchema: schema14.properties.stores.items.properties.keyPathArray.items, data: data15 };
                            vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
                          }
                        }
                      } else {
                        let err26 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/keyPathArray", schemaPath: "#/definitions/database/properties/stores/items/properties/keyPathArray/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema14.properties.stores.items.properties.keyPathArray.type, parentSchema: schema14.properties.stores.items.properties.keyPathArray, data: data14 };
                        vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
                      }
                    }
                    if (data10.records !== void 0) {
                      let data16 = data10.records;
                      if (Array.isArray(data16)) {
                        let len4 = data16.length;
                        for (let i4 = 0; i4 < len4; i4++) {
                          let data17 = data16[i4];
                          if (data17 && typeof data17 == "object" && !Array.isArray(data17)) {
                            for (let key4 in data17)
                              if (!(key4 === "key" || key4 === "keyEncoded" || key4 === "value" || key4 === "valueEncoded")) {
                                let err27 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/records/" + i4, schemaPath: "#/definitions/database/properties/stores/items/properties/records/items/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key4 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema14.properties.stores.items.properties.records.items, data: data17 };
                                vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
                              }
                          } else {
                            let err28 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/records/" + i4, schemaPath: "#/definitions/database/properties/stores/items/properties/records/items/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema14.properties.stores.items.properties.records.items.type, parentSchema: schema14.properties.stores.items.properties.records.items, data: data17 };
                            vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
                          }
                        }
                      } else {
                        let err29 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/records", schemaPath: "#/definitions/database/properties/stores/items/properties/records/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema14.properties.stores.items.properties.records.type, parentSchema: schema14.properties.stores.items.properties.records, data: data16 };
                        vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
                      }
                    }
                    if (data10.indexes !== void 0) {
                      let data18 = data10.indexes;
                      if (Array.isArray(data18)) {
                        let len5 = data18.length;
                        for (let i5 = 0; i5 < len5; i5++) {
                          let data19 = data18[i5];
                          if (data19 && typeof data19 == "object" && !Array.isArray(data19)) {
                            if (data19.name === void 0) {
                              let err30 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5, schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/required", keyword: "required", params: { missingProperty: "name" }, message: "must have required property 'name'", schema: schema14.properties.stores.items.properties.indexes.items.required, parentSchema: schema14.properties.stores.items.properties.indexes.items, data: data19 };
                              vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
                            }
                            if (data19.multiEntry === void 0) {
                              let err31 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5, schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/required", keyword: "required", params: { missingProperty: "multiEntry" }, message: "must have required property 'multiEntry'", schema: schema14.properties.stores.items.properties.indexes.items.required, parentSchema: schema14.properties.stores.items.properties.indexes.items, data: data19 };
                              vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
                            }
                            if (data19.unique === void 0) {
                              let err32 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5, schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/required", keyword: "required", params: { missingProperty: "unique" }, message: "must have required property 'unique'", schema: schema14.properties.stores.items.properties.indexes.items.required, parentSchema: schema14.properties.stores.items.properties.indexes.items, data: data19 };
                              vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
                            }
                            for (let key5 in data19)
                              if (!(key5 === "name" || key5 === "keyPath" || key5 === "keyPathArray" || key5 === "multiEntry" || key5 === "unique")) {
                                let err33 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5, schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key5 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema14.properties.stores.items.properties.indexes.items, data: data19 };
                                vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
                              }
                            if (data19.name !== void 0) {
                              let data20 = data19.name;
                              if (typeof data20 != "string") {
                                let err34 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5 + "/name", schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/properties/name/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema14.properties.stores.items.properties.indexes.items.properties.name.type, parentSchema: schema14.properties.stores.items.properties.indexes.items.properties.name, data: data20 };
                                vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
                              }
                            }
                            if (data19.keyPath !== void 0) {
                              let data21 = data19.keyPath;
                              if (typeof data21 != "string") {
                                let err35 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5 + "/keyPath", schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/properties/keyPath/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema14.properties.stores.items.properties.indexes.items.properties.keyPath.type, parentSchema: schema14.properties.stores.items.properties.indexes.items.properties.keyPath, data: data21 };
                                vErrors === null ? vErrors = [err35] : vErrors.push(err35), errors++;
                              }
                            }
                            if (data19.keyPathArray !== void 0) {
                              let data22 = data19.keyPathArray;
                              if (Array.isArray(data22)) {
                                let len6 = data22.length;
                                for (let i6 = 0; i6 < len6; i6++) {
                                  let data23 = data22[i6];
                                  if (typeof data23 != "string") {
                                    let err36 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5 + "/keyPathArray/" + i6, schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/properties/keyPathArray/items/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema14.properties.stores.items.properties.indexes.items.properties.keyPathArray.items.type, parentSchema: schema14.properties.stores.items.properties.indexes.items.properties.keyPathArray.items, data: data23 };
                                    vErrors === null ? vErrors = [err36] : vErrors.push(err36), errors++;
                                  }
                                }
                              } else {
                                let err37 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5 + "/keyPathArray", schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/properties/keyPathArray/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema14.properties.stores.items.properties.indexes.items.properties.keyPathArray.type, parentSchema: schema14.properties.stores.items.properties.indexes.items.properties.keyPathArray, data: data22 };
                                vErrors === null ? vErrors = [err37] : vErrors.push(err37), errors++;
                              }
                            }
                            if (data19.multiEntry !== void 0) {
                              let data24 = data19.multiEntry;
                              if (typeof data24 != "boolean") {
                                let err38 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5 + "/multiEntry", schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/properties/multiEntry/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema14.properties.stores.items.properties.indexes.items.properties.multiEntry.type, parentSchema: schema14.properties.stores.items.properties.indexes.items.properties.multiEntry, data: data24 };
                                vErrors === null ? vErrors = [err38] : vErrors.push(err38), errors++;
                              }
                            }
                            if (data19.unique !== void 0) {
                              let data25 = data19.unique;
                              if (typeof data25 != "boolean") {
                                let err39 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5 + "/unique", schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/properties/unique/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema14.properties.stores.items.properties.indexes.items.properties.unique.type, parentSchema: schema14.properties.stores.items.properties.indexes.items.properties.unique, data: data25 };
                                vErrors === null ? vErrors = [err39] : vErrors.push(err39), errors++;
                              }
                            }
                          } else {
                            let err40 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes/" + i5, schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/items/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema14.properties.stores.items.properties.indexes.items.type, parentSchema: schema14.properties.stores.items.properties.indexes.items, data: data19 };
                            vErrors === null ? vErrors = [err40] : vErrors.push(err40), errors++;
                          }
                        }
                      } else {
                        let err41 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2 + "/indexes", schemaPath: "#/definitions/database/properties/stores/items/properties/indexes/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema14.properties.stores.items.properties.indexes.type, parentSchema: schema14.properties.stores.items.properties.indexes, data: data18 };
                        vErrors === null ? vErrors = [err41] : vErrors.push(err41), errors++;
                      }
                    }
                  } else {
                    let err42 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores/" + i2, schemaPath: "#/definitions/database/properties/stores/items/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema14.properties.stores.items.type, parentSchema: schema14.properties.stores.items, data: data10 };
                    vErrors === null ? vErrors = [err42] : vErrors.push(err42), errors++;
                  }
                }
              } else {
                let err43 = { instancePath: instancePath + "/indexedDB/" + i1 + "/stores", schemaPath: "#/definitions/database/properties/stores/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema14.properties.stores.type, parentSchema: schema14.properties.stores, data: data9 };
                vErrors === null ? vErrors = [err43] : vErrors.push(err43), errors++;
              }
            }
          } else {
            let err44 = { instancePath: instancePath + "/indexedDB/" + i1, schemaPath: "#/definitions/database/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema14.type, parentSchema: schema14, data: data6 };
            vErrors === null ? vErrors = [err44] : vErrors.push(err44), errors++;
          }
        }
      } else {
        let err45 = { instancePath: instancePath + "/indexedDB", schemaPath: "#/properties/indexedDB/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema13.properties.indexedDB.type, parentSchema: schema13.properties.indexedDB, data: data5 };
        vErrors === null ? vErrors = [err45] : vErrors.push(err45), errors++;
      }
    }
  } else {
    let err46 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema13.type, parentSchema: schema13, data };
    vErrors === null ? vErrors = [err46] : vErrors.push(err46), errors++;
  }
  return validate11.errors = vErrors, errors === 0;
}
var schema15 = { type: "object", additionalProperties: !1, properties: { permissions: { type: "array", items: { type: "string" } }, geolocation: { type: "object", required: ["latitude", "longitude"], additionalProperties: !1, properties: { latitude: { type: "number", minimum: -90, maximum: 90 }, longitude: { type: "number", minimum: -180, maximum: 180 }, accuracy: { type: "number", minimum: 0 } } }, locale: { $ref: "#/definitions/header" }, timezoneId: { type: "string" }, userAgent: { $ref: "#/definitions/header" }, viewport: { type: "object", nullable: !0, required: ["width", "height"], additionalProperties: !1, properties: { width: { type: "integer", minimum: 0 }, height: { type: "integer", minimum: 0 } } }, deviceScaleFactor: { type: "number", exclusiveMinimum: 0 }, isMobile: { type: "boolean" }, hasTouch: { type: "boolean" }, colorScheme: { enum: ["light", "dark", "no-preference", null] }, reducedMotion: { enum: ["reduce", "no-preference", null] }, extraHTTPHeaders: { type: "object", propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }, additionalProperties: { $ref: "#/definitions/header" } }, offline: { type: "boolean" } } }, schema16 = { description: "What an HTTP header may say: printable, at most U+00FF, no space at its ends.", type: "string", pattern: "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$" }, pattern4 = new RegExp("^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$", "u"), pattern6 = new RegExp("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "u");
function validate13(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null, errors = 0;
  if (data && typeof data == "object" && !Array.isArray(data)) {
    for (let key0 in data)
      if (!func2.call(schema15.properties, key0)) {
        let err0 = { instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema15, data };
        vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
      }
    if (data.permissions !== void 0) {
      let data0 = data.permissions;
      if (Array.isArray(data0)) {
        let len0 = data0.length;
        for (let i0 = 0; i0 < len0; i0++) {
          let data1 = data0[i0];
          if (typeof data1 != "string") {
            let err1 = { instancePath: instancePath + "/permissions/" + i0, schemaPath: "#/properties/permissions/items/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema15.properties.permissions.items.type, parentSchema: schema15.properties.permissions.items, data: data1 };
            vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
          }
        }
      } else {
        let err2 = { instancePath: instancePath + "/permissions", schemaPath: "#/properties/permissions/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema15.properties.permissions.type, parentSchema: schema15.properties.permissions, data: data0 };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    if (data.geolocation !== void 0) {
      let data2 = data.geolocation;
      if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
        if (data2.latitude === void 0) {
          let err3 = { instancePath: instancePath + "/geolocation", schemaPath: "#/properties/geolocation/required", keyword: "required", params: { missingProperty: "latitude" }, message: "must have required property 'latitude'", schema: schema15.properties.geolocation.required, parentSchema: schema15.properties.geolocation, data: data2 };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
        if (data2.longitude === void 0) {
          let err4 = { instancePath: instancePath + "/geolocation", schemaPath: "#/properties/geolocation/required", keyword: "required", params: { missingProperty: "longitude" }, message: "must have required property 'longitude'", schema: schema15.properties.geolocation.required, parentSchema: schema15.properties.geolocation, data: data2 };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
        for (let key1 in data2)
          if (!(key1 === "latitude" || key1 === "longitude" || key1 === "accuracy")) {
            let err5 = { instancePath: instancePath + "/geolocation", schemaPath: "#/properties/geolocation/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema15.properties.geolocation, data: data2 };
            vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
          }
        if (data2.latitude !== void 0) {
          let data3 = data2.latitude;
          if (typeof data3 == "number" && isFinite(data3)) {
            if (data3 > 90 || isNaN(data3)) {
              let err6 = { instancePath: instancePath + "/geolocation/latitude", schemaPath: "#/properties/geolocation/properties/latitude/maximum", keyword: "maximum", params: { comparison: "<=", limit: 90 }, message: "must be <= 90", schema: 90, parentSchema: schema15.properties.geolocation.properties.latitude, data: data3 };
              vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
            }
            if (data3 < -90 || isNaN(data3)) {
              let err7 = { instancePath: instancePath + "/geolocation/latitude", schemaPath: "#/properties/geolocation/properties/latitude/minimum", keyword: "minimum", params: { comparison: ">=", limit: -90 }, message: "must be >= -90", schema: -90, parentSchema: schema15.properties.geolocation.properties.latitude, data: data3 };
              vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
            }
          } else {
            let err8 = { instancePath: instancePath + "/geolocation/latitude", schemaPath: "#/properties/geolocation/properties/latitude/type", keyword: "type", params: { type: "number" }, message: "must be number", schema: schema15.properties.geolocation.properties.latitude.type, parentSchema: schema15.properties.geolocation.properties.latitude, data: data3 };
            vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
          }
        }
        if (data2.longitude !== void 0) {
          let data4 = data2.longitude;
          if (typeof data4 == "number" && isFinite(data4)) {
            if (data4 > 180 || isNaN(data4)) {
              let err9 = { instancePath: instancePath + "/geolocation/longitude", schemaPath: "#/properties/geolocation/properties/longitude/maximum", keyword: "maximum", params: { comparison: "<=", limit: 180 }, message: "must be <= 180", schema: 180, parentSchema: schema15.properties.geolocation.properties.longitude, data: data4 };
              vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
            }
            if (data4 < -180 || isNaN(data4)) {
              let err10 = { instancePath: instancePath + "/geolocation/longitude", schemaPath: "#/properties/geolocation/properties/longitude/minimum", keyword: "minimum", params: { comparison: ">=", limit: -180 }, message: "must be >= -180", schema: -180, parentSchema: schema15.properties.geolocation.properties.longitude, data: data4 };
              vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
            }
          } else {
            let err11 = { instancePath: instancePath + "/geolocation/longitude", schemaPath: "#/properties/geolocation/properties/longitude/type", keyword: "type", params: { type: "number" }, message: "must be number", schema: schema15.properties.geolocation.properties.longitude.type, parentSchema: schema15.properties.geolocation.properties.longitude, data: data4 };
            vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
          }
        }
        if (data2.accuracy !== void 0) {
          let data5 = data2.accuracy;
          if (typeof data5 == "number" && isFinite(data5)) {
            if (data5 < 0 || isNaN(data5)) {
              let err12 = { instancePath: instancePath + "/geolocation/accuracy", schemaPath: "#/properties/geolocation/properties/accuracy/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0", schema: 0, parentSchema: schema15.properties.geolocation.properties.accuracy, data: data5 };
              vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
            }
          } else {
            let err13 = { instancePath: instancePath + "/geolocation/accuracy", schemaPath: "#/properties/geolocation/properties/accuracy/type", keyword: "type", params: { type: "number" }, message: "must be number", schema: schema15.properties.geolocation.properties.accuracy.type, parentSchema: schema15.properties.geolocation.properties.accuracy, data: data5 };
            vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
          }
        }
      } else {
        let err14 = { instancePath: instancePath + "/geolocation", schemaPath: "#/properties/geolocation/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema15.properties.geolocation.type, parentSchema: schema15.properties.geolocation, data: data2 };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
    }
    if (data.locale !== void 0) {
      let data6 = data.locale;
      if (typeof data6 == "string") {
        if (!pattern4.test(data6)) {
          let err15 = { instancePath: instancePath + "/locale", schemaPath: "#/definitions/header/pattern", keyword: "pattern", params: { pattern: "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$" }, message: 'must match pattern "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$"', schema: "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$", parentSchema: schema16, data: data6 };
          vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
        }
      } else {
        let err16 = { instancePath: instancePath + "/locale", schemaPath: "#/definitions/header/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema16.type, parentSchema: schema16, data: data6 };
        vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
      }
    }
    if (data.timezoneId !== void 0) {
      let data7 = data.timezoneId;
      if (typeof data7 != "string") {
        let err17 = { instancePath: instancePath + "/timezoneId", schemaPath: "#/properties/timezoneId/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema15.properties.timezoneId.type, parentSchema: schema15.properties.timezoneId, data: data7 };
        vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
      }
    }
    if (data.userAgent !== void 0) {
      let data8 = data.userAgent;
      if (typeof data8 == "string") {
        if (!pattern4.test(data8)) {
          let err18 = { instancePath: instancePath + "/userAgent", schemaPath: "#/definitions/header/pattern", keyword: "pattern", params: { pattern: "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$" }, message: 'must match pattern "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$"', schema: "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$", parentSchema: schema16, data: data8 };
          vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
        }
      } else {
        let err19 = { instancePath: instancePath + "/userAgent", schemaPath: "#/definitions/header/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema16.type, parentSchema: schema16, data: data8 };
        vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
      }
    }
    if (data.viewport !== void 0) {
      let data9 = data.viewport;
      if (!(data9 && typeof data9 == "object" && !Array.isArray(data9)) && data9 !== null) {
        let err20 = { instancePath: instancePath + "/viewport", schemaPath: "#/properties/viewport/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema15.properties.viewport.type, parentSchema: schema15.properties.viewport, data: data9 };
        vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
      }
      if (data9 && typeof data9 == "object" && !Array.isArray(data9)) {
        if (data9.width === void 0) {
          let err21 = { instancePath: instancePath + "/viewport", schemaPath: "#/properties/viewport/required", keyword: "required", params: { missingProperty: "width" }, message: "must have required property 'width'", schema: schema15.properties.viewport.required, parentSchema: schema15.properties.viewport, data: data9 };
          vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
        }
        if (data9.height === void 0) {
          let err22 = { instancePath: instancePath + "/viewport", schemaPath: "#/properties/viewport/required", keyword: "required", params: { missingProperty: "height" }, message: "must have required property 'height'", schema: schema15.properties.viewport.required, parentSchema: schema15.properties.viewport, data: data9 };
          vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
        }
        for (let key2 in data9)
          if (!(key2 === "width" || key2 === "height")) {
            let err23 = { instancePath: instancePath + "/viewport", schemaPath: "#/properties/viewport/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key2 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema15.properties.viewport, data: data9 };
            vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
          }
        if (data9.width !== void 0) {
          let data10 = data9.width;
          if (!(typeof data10 == "number" && !(data10 % 1) && !isNaN(data10) && isFinite(data10))) {
            let err24 = { instancePath: instancePath + "/viewport/width", schemaPath: "#/properties/viewport/properties/width/type", keyword: "type", params: { type: "integer" }, message: "must be integer", schema: schema15.properties.viewport.properties.width.type, parentSchema: schema15.properties.viewport.properties.width, data: data10 };
            vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
          }
          if (typeof data10 == "number" && isFinite(data10) && (data10 < 0 || isNaN(data10))) {
            let err25 = { instancePath: instancePath + "/viewport/width", schemaPath: "#/properties/viewport/properties/width/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0", schema: 0, parentSchema: schema15.properties.viewport.properties.width, data: data10 };
            vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
          }
        }
        if (data9.height !== void 0) {
          let data11 = data9.height;
          if (!(typeof data11 == "number" && !(data11 % 1) && !isNaN(data11) && isFinite(data11))) {
            let err26 = { instancePath: instancePath + "/viewport/height", schemaPath: "#/properties/viewport/properties/height/type", keyword: "type", params: { type: "integer" }, message: "must be integer", schema: schema15.properties.viewport.properties.height.type, parentSchema: schema15.properties.viewport.properties.height, data: data11 };
            vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
          }
          if (typeof data11 == "number" && isFinite(data11) && (data11 < 0 || isNaN(data11))) {
            let err27 = { instancePath: instancePath + "/viewport/height", schemaPath: "#/properties/viewport/properties/height/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0", schema: 0, parentSchema: schema15.properties.viewport.properties.height, data: data11 };
            vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
          }
        }
      }
    }
    if (data.deviceScaleFactor !== void 0) {
      let data12 = data.deviceScaleFactor;
      if (typeof data12 == "number" && isFinite(data12)) {
        if (data12 <= 0 || isNaN(data12)) {
          let err28 = { instancePath: instancePath + "/deviceScaleFactor", schemaPath: "#/properties/deviceScaleFactor/exclusiveMinimum", keyword: "exclusiveMinimum", params: { comparison: ">", limit: 0 }, message: "must be > 0", schema: 0, parentSchema: schema15.properties.deviceScaleFactor, data: data12 };
          vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
        }
      } else {
        let err29 = { instancePath: instancePath + "/deviceScaleFactor", schemaPath: "#/properties/deviceScaleFactor/type", keyword: "type", params: { type: "number" }, message: "must be number", schema: schema15.properties.deviceScaleFactor.type, parentSchema: schema15.properties.deviceScaleFactor, data: data12 };
        vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
      }
    }
    if (data.isMobile !== void 0) {
      let data13 = data.isMobile;
      if (typeof data13 != "boolean") {
        let err30 = { instancePath: instancePath + "/isMobile", schemaPath: "#/properties/isMobile/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema15.properties.isMobile.type, parentSchema: schema15.properties.isMobile, data: data13 };
        vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
      }
    }
    if (data.hasTouch !== void 0) {
      let data14 = data.hasTouch;
      if (typeof data14 != "boolean") {
        let err31 = { instancePath: instancePath + "/hasTouch", schemaPath: "#/properties/hasTouch/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema15.properties.hasTouch.type, parentSchema: schema15.properties.hasTouch, data: data14 };
        vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
      }
    }
    if (data.colorScheme !== void 0) {
      let data15 = data.colorScheme;
      if (!(data15 === "light" || data15 === "dark" || data15 === "no-preference" || data15 === null)) {
        let err32 = { instancePath: instancePath + "/colorScheme", schemaPath: "#/properties/colorScheme/enum", keyword: "enum", params: { allowedValues: schema15.properties.colorScheme.enum }, message: "must be equal to one of the allowed values", schema: schema15.properties.colorScheme.enum, parentSchema: schema15.properties.colorScheme, data: data15 };
        vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
      }
    }
    if (data.reducedMotion !== void 0) {
      let data16 = data.reducedMotion;
      if (!(data16 === "reduce" || data16 === "no-preference" || data16 === null)) {
        let err33 = { instancePath: instancePath + "/reducedMotion", schemaPath: "#/properties/reducedMotion/enum", keyword: "enum", params: { allowedValues: schema15.properties.reducedMotion.enum }, message: "must be equal to one of the allowed values", schema: schema15.properties.reducedMotion.enum, parentSchema: schema15.properties.reducedMotion, data: data16 };
        vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
      }
    }
    if (data.extraHTTPHeaders !== void 0) {
      let data17 = data.extraHTTPHeaders;
      if (data17 && typeof data17 == "object" && !Array.isArray(data17)) {
        for (let key3 in data17) {
          let _errs41 = errors;
          if (typeof key3 == "string" && !pattern6.test(key3)) {
            let err34 = { instancePath: instancePath + "/extraHTTPHeaders", schemaPath: "#/properties/extraHTTPHeaders/propertyNames/pattern", keyword: "pattern", params: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }, message: 'must match pattern "^[!#$%&\'*+.^_`|~0-9A-Za-z-]+$"', schema: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", parentSchema: schema15.properties.extraHTTPHeaders.propertyNames, data: key3, propertyName: key3 };
            vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
          }
          var valid7 = _errs41 === errors;
          if (!valid7) {
            let err35 = { instancePath: instancePath + "/extraHTTPHeaders", schemaPath: "#/properties/extraHTTPHeaders/propertyNames", keyword: "propertyNames", params: { propertyName: key3 }, message: "property name must be valid", schema: schema15.properties.extraHTTPHeaders.propertyNames, parentSchema: schema15.properties.extraHTTPHeaders, data: data17 };
            vErrors === null ? vErrors = [err35] : vErrors.push(err35), errors++;
          }
        }
        for (let key4 in data17) {
          let data18 = data17[key4];
          if (typeof data18 == "string") {
            if (!pattern4.test(data18)) {
              let err36 = { instancePath: instancePath + "/extraHTTPHeaders/" + key4.replace(/~/g, "~0").replace(/\//g, "~1"), schemaPath: "#/definitions/header/pattern", keyword: "pattern", params: { pattern: "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$" }, message: 'must match pattern "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$"', schema: "^(?:[\\u0021-\\u007e\\u0080-\\u00ff](?:[\\u0009\\u0020-\\u007e\\u0080-\\u00ff]*[\\u0021-\\u007e\\u0080-\\u00ff])?)?$", parentSchema: schema16, data: data18 };
              vErrors === null ? vErrors = [err36] : vErrors.push(err36), errors++;
            }
          } else {
            let err37 = { instancePath: instancePath + "/extraHTTPHeaders/" + key4.replace(/~/g, "~0").replace(/\//g, "~1"), schemaPath: "#/definitions/header/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema16.type, parentSchema: schema16, data: data18 };
            vErrors === null ? vErrors = [err37] : vErrors.push(err37), errors++;
          }
        }
      } else {
        let err38 = { instancePath: instancePath + "/extraHTTPHeaders", schemaPath: "#/properties/extraHTTPHeaders/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema15.properties.extraHTTPHeaders.type, parentSchema: schema15.properties.extraHTTPHeaders, data: data17 };
        vErrors === null ? vErrors = [err38] : vErrors.push(err38), errors++;
      }
    }
    if (data.offline !== void 0) {
      let data19 = data.offline;
      if (typeof data19 != "boolean") {
        let err39 = { instancePath: instancePath + "/offline", schemaPath: "#/properties/offline/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema15.properties.offline.type, parentSchema: schema15.properties.offline, data: data19 };
        vErrors === null ? vErrors = [err39] : vErrors.push(err39), errors++;
      }
    }
  } else {
    let err40 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema15.type, parentSchema: schema15, data };
    vErrors === null ? vErrors = [err40] : vErrors.push(err40), errors++;
  }
  return validate13.errors = vErrors, errors === 0;
}
function validate10(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null, errors = 0;
  if (data && typeof data == "object" && !Array.isArray(data)) {
    if (data.storageState === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "storageState" }, message: "must have required property 'storageState'", schema: schema11.required, parentSchema: schema11, data };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    for (let key0 in data)
      if (!(key0 === "storageState" || key0 === "context")) {
        let err1 = { instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11, data };
        vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
      }
    if (data.storageState !== void 0) {
      let data0 = data.storageState;
      if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
        if (data0.cookies === void 0) {
          let err2 = { instancePath: instancePath + "/storageState", schemaPath: "#/properties/storageState/required", keyword: "required", params: { missingProperty: "cookies" }, message: "must have required property 'cookies'", schema: schema11.properties.storageState.required, parentSchema: schema11.properties.storageState, data: data0 };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.origins === void 0) {
          let err3 = { instancePath: instancePath + "/storageState", schemaPath: "#/properties/storageState/required", keyword: "required", params: { missingProperty: "origins" }, message: "must have required property 'origins'", schema: schema11.properties.storageState.required, parentSchema: schema11.properties.storageState, data: data0 };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
        for (let key1 in data0)
          if (!(key1 === "cookies" || key1 === "origins")) {
            let err4 = { instancePath: instancePath + "/storageState", schemaPath: "#/properties/storageState/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema11.properties.storageState, data: data0 };
            vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
          }
        if (data0.cookies !== void 0) {
          let data1 = data0.cookies;
          if (Array.isArray(data1)) {
            let len0 = data1.length;
            for (let i0 = 0; i0 < len0; i0++) {
              let data2 = data1[i0];
              if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                if (data2.name === void 0) {
                  let err5 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/required", keyword: "required", params: { missingProperty: "name" }, message: "must have required property 'name'", schema: schema12.required, parentSchema: schema12, data: data2 };
                  vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
                }
                if (data2.value === void 0) {
                  let err6 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/required", keyword: "required", params: { missingProperty: "value" }, message: "must have required property 'value'", schema: schema12.required, parentSchema: schema12, data: data2 };
                  vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
                }
                if (data2.domain === void 0) {
                  let err7 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/required", keyword: "required", params: { missingProperty: "domain" }, message: "must have required property 'domain'", schema: schema12.required, parentSchema: schema12, data: data2 };
                  vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
                }
                if (data2.path === void 0) {
                  let err8 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/required", keyword: "required", params: { missingProperty: "path" }, message: "must have required property 'path'", schema: schema12.required, parentSchema: schema12, data: data2 };
                  vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
                }
                if (data2.expires === void 0) {
                  let err9 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/required", keyword: "required", params: { missingProperty: "expires" }, message: "must have required property 'expires'", schema: schema12.required, parentSchema: schema12, data: data2 };
                  vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
                }
                if (data2.httpOnly === void 0) {
                  let err10 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/required", keyword: "required", params: { missingProperty: "httpOnly" }, message: "must have required property 'httpOnly'", schema: schema12.required, parentSchema: schema12, data: data2 };
                  vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
                }
                if (data2.secure === void 0) {
                  let err11 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/required", keyword: "required", params: { missingProperty: "secure" }, message: "must have required property 'secure'", schema: schema12.required, parentSchema: schema12, data: data2 };
                  vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
                }
                if (data2.sameSite === void 0) {
                  let err12 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/required", keyword: "required", params: { missingProperty: "sameSite" }, message: "must have required property 'sameSite'", schema: schema12.required, parentSchema: schema12, data: data2 };
                  vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
                }
                for (let key2 in data2)
                  if (!func2.call(schema12.properties, key2)) {
                    let err13 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key2 }, message: "must NOT have additional properties", schema: !1, parentSchema: schema12, data: data2 };
                    vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
                  }
                if (data2.name !== void 0) {
                  let data3 = data2.name;
                  if (typeof data3 == "string") {
                    if (!pattern0.test(data3)) {
                      let err14 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/name", schemaPath: "#/definitions/cookie/properties/name/pattern", keyword: "pattern", params: { pattern: "^[\\u0020-\\u003a\\u003c\\u003e-\\u007e\\u0080-\\u00ff]*$" }, message: 'must match pattern "^[\\u0020-\\u003a\\u003c\\u003e-\\u007e\\u0080-\\u00ff]*$"', schema: "^[\\u0020-\\u003a\\u003c\\u003e-\\u007e\\u0080-\\u00ff]*$", parentSchema: schema12.properties.name, data: data3 };
                      vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
                    }
                  } else {
                    let err15 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/name", schemaPath: "#/definitions/cookie/properties/name/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema12.properties.name.type, parentSchema: schema12.properties.name, data: data3 };
                    vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
                  }
                }
                if (data2.value !== void 0) {
                  let data4 = data2.value;
                  if (typeof data4 == "string") {
                    if (!pattern1.test(data4)) {
                      let err16 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/value", schemaPath: "#/definitions/cookie/properties/value/pattern", keyword: "pattern", params: { pattern: "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$" }, message: 'must match pattern "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$"', schema: "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$", parentSchema: schema12.properties.value, data: data4 };
                      vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
                    }
                  } else {
                    let err17 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/value", schemaPath: "#/definitions/cookie/properties/value/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema12.properties.value.type, parentSchema: schema12.properties.value, data: data4 };
                    vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
                  }
                }
                if (data2.domain !== void 0) {
                  let data5 = data2.domain;
                  if (typeof data5 == "string") {
                    if (!pattern2.test(data5)) {
                      let err18 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/domain", schemaPath: "#/definitions/cookie/properties/domain/pattern", keyword: "pattern", params: { pattern: "^\\.?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$" }, message: 'must match pattern "^\\.?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$"', schema: "^\\.?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$", parentSchema: schema12.properties.domain, data: data5 };
                      vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
                    }
                  } else {
                    let err19 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/domain", schemaPath: "#/definitions/cookie/properties/domain/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema12.properties.domain.type, parentSchema: schema12.properties.domain, data: data5 };
                    vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
                  }
                }
                if (data2.path !== void 0) {
                  let data6 = data2.path;
                  if (typeof data6 == "string") {
                    if (!pattern1.test(data6)) {
                      let err20 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/path", schemaPath: "#/definitions/cookie/properties/path/pattern", keyword: "pattern", params: { pattern: "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$" }, message: 'must match pattern "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$"', schema: "^[\\u0020-\\u003a\\u003c-\\u007e\\u0080-\\u00ff]*$", parentSchema: schema12.properties.path, data: data6 };
                      vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
                    }
                  } else {
                    let err21 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/path", schemaPath: "#/definitions/cookie/properties/path/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema12.properties.path.type, parentSchema: schema12.properties.path, data: data6 };
                    vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
                  }
                }
                if (data2.expires !== void 0) {
                  let data7 = data2.expires;
                  if (typeof data7 == "number" && isFinite(data7)) {
                    if (data7 < -1 || isNaN(data7)) {
                      let err22 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/expires", schemaPath: "#/definitions/cookie/properties/expires/minimum", keyword: "minimum", params: { comparison: ">=", limit: -1 }, message: "must be >= -1", schema: -1, parentSchema: schema12.properties.expires, data: data7 };
                      vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
                    }
                  } else {
                    let err23 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/expires", schemaPath: "#/definitions/cookie/properties/expires/type", keyword: "type", params: { type: "number" }, message: "must be number", schema: schema12.properties.expires.type, parentSchema: schema12.properties.expires, data: data7 };
                    vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
                  }
                }
                if (data2.httpOnly !== void 0) {
                  let data8 = data2.httpOnly;
                  if (typeof data8 != "boolean") {
                    let err24 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/httpOnly", schemaPath: "#/definitions/cookie/properties/httpOnly/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema12.properties.httpOnly.type, parentSchema: schema12.properties.httpOnly, data: data8 };
                    vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
                  }
                }
                if (data2.secure !== void 0) {
                  let data9 = data2.secure;
                  if (typeof data9 != "boolean") {
                    let err25 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/secure", schemaPath: "#/definitions/cookie/properties/secure/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema12.properties.secure.type, parentSchema: schema12.properties.secure, data: data9 };
                    vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
                  }
                }
                if (data2.sameSite !== void 0) {
                  let data10 = data2.sameSite;
                  if (!(data10 === "Strict" || data10 === "Lax" || data10 === "None")) {
                    let err26 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/sameSite", schemaPath: "#/definitions/cookie/properties/sameSite/enum", keyword: "enum", params: { allowedValues: schema12.properties.sameSite.enum }, message: "must be equal to one of the allowed values", schema: schema12.properties.sameSite.enum, parentSchema: schema12.properties.sameSite, data: data10 };
                    vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
                  }
                }
                if (data2.partitionKey !== void 0) {
                  let data11 = data2.partitionKey;
                  if (typeof data11 != "string") {
                    let err27 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/partitionKey", schemaPath: "#/definitions/cookie/properties/partitionKey/type", keyword: "type", params: { type: "string" }, message: "must be string", schema: schema12.properties.partitionKey.type, parentSchema: schema12.properties.partitionKey, data: data11 };
                    vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
                  }
                }
                if (data2._crHasCrossSiteAncestor !== void 0) {
                  let data12 = data2._crHasCrossSiteAncestor;
                  if (typeof data12 != "boolean") {
                    let err28 = { instancePath: instancePath + "/storageState/cookies/" + i0 + "/_crHasCrossSiteAncestor", schemaPath: "#/definitions/cookie/properties/_crHasCrossSiteAncestor/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean", schema: schema12.properties._crHasCrossSiteAncestor.type, parentSchema: schema12.properties._crHasCrossSiteAncestor, data: data12 };
                    vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
                  }
                }
              } else {
                let err29 = { instancePath: instancePath + "/storageState/cookies/" + i0, schemaPath: "#/definitions/cookie/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema12.type, parentSchema: schema12, data: data2 };
                vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
              }
            }
          } else {
            let err30 = { instancePath: instancePath + "/storageState/cookies", schemaPath: "#/properties/storageState/properties/cookies/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema11.properties.storageState.properties.cookies.type, parentSchema: schema11.properties.storageState.properties.cookies, data: data1 };
            vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
          }
        }
        if (data0.origins !== void 0) {
          let data13 = data0.origins;
          if (Array.isArray(data13)) {
            let len1 = data13.length;
            for (let i1 = 0; i1 < len1; i1++)
              validate11(data13[i1], { instancePath: instancePath + "/storageState/origins/" + i1, parentData: data13, parentDataProperty: i1, rootData }) || (vErrors = vErrors === null ? validate11.errors : vErrors.concat(validate11.errors), errors = vErrors.length);
          } else {
            let err31 = { instancePath: instancePath + "/storageState/origins", schemaPath: "#/properties/storageState/properties/origins/type", keyword: "type", params: { type: "array" }, message: "must be array", schema: schema11.properties.storageState.properties.origins.type, parentSchema: schema11.properties.storageState.properties.origins, data: data13 };
            vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
          }
        }
      } else {
        let err32 = { instancePath: instancePath + "/storageState", schemaPath: "#/properties/storageState/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.properties.storageState.type, parentSchema: schema11.properties.storageState, data: data0 };
        vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
      }
    }
    data.context !== void 0 && (validate13(data.context, { instancePath: instancePath + "/context", parentData: data, parentDataProperty: "context", rootData }) || (vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors), errors = vErrors.length));
  } else {
    let err33 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object", schema: schema11.type, parentSchema: schema11, data };
    vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
  }
  return validate10.errors = vErrors, errors === 0;
}
export {
  validateBrowserProfile
};
