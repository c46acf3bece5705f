/**
 * The generated `decodeX` functions: one per struct, version branches inside, fields into locals, one object literal
 * at the end, so that every value of a struct has the same shape. Owns decoding alone.
 */
import {
  choose,
  defaultValue,
  elementTypeText,
  type Flexibility,
  flexibility,
  holdsNull,
  localName,
  methodName,
  smallestElementSize,
  typeText,
  versionCondition,
} from './emit-values';
import { covers, type Field, type Message, type Struct } from './schema-model';

const fixedReaders: Readonly<Record<string, string>> = {
  bool: 'bool',
  int8: 'int8',
  int16: 'int16',
  uint16: 'uint16',
  int32: 'int32',
  uint32: 'uint32',
  int64: 'int64',
  float64: 'float64',
  uuid: 'uuid',
};

class StructDecoder {
  private readonly how: Flexibility;

  constructor(
    private readonly message: Message,
    private readonly struct: Struct,
  ) {
    this.how = flexibility(message, struct.versions);
  }

  private get isMessage(): boolean {
    return this.struct === this.message.struct;
  }

  emit(): string[] {
    const { name, fields, versions } = this.struct;
    const lines: string[] = [];
    if (this.isMessage)
      lines.push(`/** Throws \`MalformedMessage\`. Buffers in the result are slices of the reader's buffer. */`);
    const takesVersion = this.isMessage || this.usesVersion();
    const parameters = `reader: Reader, ${takesVersion ? '' : '_'}version: number`;
    lines.push(`${this.isMessage ? 'export ' : ''}function decode${name}(${parameters}): ${name} {`);
    if (this.isMessage)
      lines.push(
        `  if (version < ${versions.low} || version > ${versions.high})`,
        `    throw reader.unknownVersion('${name}', version);`,
      );
    if (this.how === 'mixed') lines.push(`  const flexible = version >= ${this.message.firstFlexible};`);
    for (const field of fields) lines.push(...this.field(field));
    lines.push(...this.tags());
    const parts = fields.map((field) =>
      localName(field) === field.name ? field.name : `${field.name}: ${localName(field)}`,
    );
    lines.push(`  return { ${parts.join(', ')} };`, '}');
    return lines;
  }

  private usesVersion(): boolean {
    return (
      this.how === 'mixed' ||
      this.struct.fields.some(
        (field) =>
          field.element.kind === 'struct' ||
          !covers(field.versions, this.struct.versions) ||
          this.nullCondition(field) !== null,
      )
    );
  }

  /** Null: null is either always or never allowed where the field is present. */
  private nullCondition(field: Field): string | null {
    return field.nullable === null ? null : versionCondition(field.nullable, field.versions);
  }

  private field(field: Field): string[] {
    const local = localName(field);
    if (field.tag !== null) return [`  let ${local}: ${typeText(field)} = ${defaultValue(field)};`];
    const condition = versionCondition(field.versions, this.struct.versions);
    const how = flexibility(this.message, field.versions);
    if (field.isArray) return this.array(field, how, condition);
    const read = this.single(field, how);
    if (condition === null) return [`  const ${local} = ${read};`];
    return [`  let ${local}: ${typeText(field)} = ${defaultValue(field)};`, `  if (${condition}) ${local} = ${read};`];
  }

  private array(field: Field, how: Flexibility, condition: string | null): string[] {
    const local = localName(field);
    if (condition === null && !holdsNull(field) && isInt32(field))
      return [`  const ${local} = reader.int32Array(${this.count(field, how)});`];
    if (condition === null && !holdsNull(field))
      return [
        `  const ${local}Count = ${this.count(field, how)};`,
        `  const ${local} = ${this.newArray(field)};`,
        `  ${this.elements(field, how)}`,
      ];
    const declaration = `  let ${local}: ${typeText(field)};`;
    if (condition === null) return [declaration, ...this.arrayBody(field, how, '  ')];
    const body = this.arrayBody(field, how, '    ');
    return [declaration, `  if (${condition}) {`, ...body, `  } else ${local} = ${defaultValue(field)};`];
  }

  /** Assigns a variable that is declared before. The array has its size from the start: growing it costs twice. */
  private arrayBody(field: Field, how: Flexibility, indent: string): string[] {
    const local = localName(field);
    const count = `${local}Count`;
    const lines = [`${indent}const ${count} = ${this.count(field, how)};`];
    if (isInt32(field)) {
      const read = `reader.int32Array(${holdsNull(field) ? count : this.count(field, how)})`;
      if (!holdsNull(field)) return [`${indent}${local} = ${read};`];
      return [...lines, `${indent}${local} = ${count} < 0 ? null : ${read};`];
    }
    const filled = (inner: string) => [
      `${inner}${local} = ${this.newArray(field)};`,
      `${inner}${this.elements(field, how)}`,
    ];
    if (!holdsNull(field)) return [...lines, ...filled(indent)];
    return [
      ...lines,
      `${indent}if (${count} < 0) ${local} = null;`,
      `${indent}else {`,
      ...filled(`${indent}  `),
      `${indent}}`,
    ];
  }

  private newArray(field: Field): string {
    return `new Array<${elementTypeText(field)}>(${localName(field)}Count)`;
  }

  private count(field: Field, how: Flexibility): string {
    return this.withNull(field, (nullable) => {
      const count = (compact: boolean) =>
        `reader.${methodName('arrayLength', compact, nullable)}(${smallestElementSize(this.message, field, compact)})`;
      return choose(how, count(true), count(false));
    });
  }

  private elements(field: Field, how: Flexibility): string {
    const local = localName(field);
    return `for (let at = 0; at < ${local}Count; at++) ${local}[at] = ${this.element(field, how)};`;
  }

  /** Picks the nullable or the strict form, with a version test where both occur. */
  private withNull(field: Field, form: (nullable: boolean) => string): string {
    if (field.nullable === null) return form(false);
    const condition = this.nullCondition(field);
    return condition === null ? form(true) : `${condition} ? ${bracket(form(true))} : ${bracket(form(false))}`;
  }

  private single(field: Field, how: Flexibility): string {
    if (field.element.kind === 'struct') {
      const decode = `decode${elementTypeText(field)}(reader, version)`;
      const isNull = field.tag === null ? 'reader.int8() < 0' : 'reader.uvarint() === 0';
      return this.withNull(field, (nullable) => (nullable ? `(${isNull} ? null : ${decode})` : decode));
    }
    const { primitive } = field.element;
    const fixed = fixedReaders[primitive];
    if (fixed !== undefined) return `reader.${field.exact ? 'exactInt64' : fixed}()`;
    return this.withNull(field, (nullable) => {
      const read = (compact: boolean) => `reader.${methodName(primitive, compact, nullable)}()`;
      return choose(how, read(true), read(false));
    });
  }

  private element(field: Field, how: Flexibility): string {
    return this.single({ ...field, isArray: false, nullable: null }, how);
  }

  private tags(): string[] {
    if (this.how === 'never') return [];
    const tagged = this.struct.fields.filter((field) => field.tag !== null);
    const guard = this.how === 'mixed' ? 'if (flexible) ' : '';
    if (tagged.length === 0) return [`  ${guard}reader.skipTags();`];
    const lines = [`  ${guard}for (let tags = reader.uvarint(); tags > 0; tags--) {`];
    lines.push('    const tag = reader.uvarint();', '    const end = reader.tagEnd();');
    for (const [index, field] of tagged.entries()) {
      const known = {
        low: Math.max(this.struct.versions.low, this.message.firstFlexible),
        high: this.struct.versions.high,
      };
      const condition = versionCondition(field.versions, known);
      const test = condition === null ? `tag === ${field.tag}` : `tag === ${field.tag} && ${condition}`;
      lines.push(
        `    ${index === 0 ? 'if' : '} else if'} (${test}) {`,
        ...this.taggedValue(field),
        '      reader.expectEnd(end);',
      );
    }
    lines.push('    } else reader.skipTo(end);', '  }');
    return lines;
  }

  private taggedValue(field: Field): string[] {
    const local = localName(field);
    if (!field.isArray) return [`      ${local} = ${this.single(field, 'always')};`];
    // A tag that comes twice counts as its last value, as in Kafka.
    return this.arrayBody(field, 'always', '      ');
  }
}

/** The commonest elements have a method that reads all of them at once. */
function isInt32(field: Field): boolean {
  return field.element.kind === 'primitive' && field.element.primitive === 'int32';
}

function bracket(expression: string): string {
  return expression.includes('?') ? `(${expression})` : expression;
}

export function emitDecode(message: Message, struct: Struct): string[] {
  return new StructDecoder(message, struct).emit();
}
