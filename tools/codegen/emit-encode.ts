/**
 * The generated `encodeX` functions and the `isDefaultX` tests they need. Owns encoding alone: what the version
 * cannot carry is asserted to be the default unless the field is ignorable, tagged fields are written only when not
 * the default.
 */
import {
  choose,
  elementTypeText,
  type Flexibility,
  flexibility,
  holdsNull,
  isDefault,
  methodName,
  versionCondition,
} from './emit-values';
import { covers, type Field, intersect, type Message, type Struct, structsOf } from './schema-model';

const variableWriters = new Set(['string', 'bytes', 'records']);

class StructEncoder {
  private readonly how: Flexibility;

  constructor(
    private readonly message: Message,
    private readonly struct: Struct,
  ) {
    this.how = flexibility(message, struct.versions);
  }

  emit(): string[] {
    const { name, fields, versions } = this.struct;
    const isMessage = this.struct === this.message.struct;
    const takesVersion = isMessage || this.usesVersion();
    const message = fields.length === 0 ? '_message' : 'message';
    const parameters = `writer: Writer, ${message}: ${name}, ${takesVersion ? '' : '_'}version: number`;
    const lines = [`${isMessage ? 'export ' : ''}function encode${name}(${parameters}): void {`];
    if (isMessage)
      lines.push(`  assert(version >= ${versions.low} && version <= ${versions.high}, '${name} has no such version');`);
    if (this.how === 'mixed') lines.push(`  const flexible = version >= ${this.message.firstFlexible};`);
    for (const field of fields) if (field.tag === null) lines.push(...this.field(field));
    lines.push(...this.tags(), '}');
    return lines;
  }

  private usesVersion(): boolean {
    return (
      this.how === 'mixed' ||
      this.struct.fields.some(
        (field) =>
          field.element.kind === 'struct' ||
          !covers(field.versions, this.struct.versions) ||
          (field.nullable !== null && !covers(field.nullable, field.versions)),
      )
    );
  }

  private field(field: Field): string[] {
    const condition = versionCondition(field.versions, this.struct.versions);
    const how = flexibility(this.message, field.versions);
    const value = `message.${field.name}`;
    if (condition === null) return this.value(field, how, '  ');
    const lines = [`  if (${condition}) {`, ...this.value(field, how, '    ')];
    if (field.ignorable) return [...lines, '  }'];
    return [
      ...lines,
      `  } else assert(${isDefault(field, value)}, '${this.struct.name}.${field.name} in a version without it');`,
    ];
  }

  private value(field: Field, how: Flexibility, indent: string): string[] {
    const value = `message.${field.name}`;
    if (field.isArray) return this.array(field, how, indent);
    if (field.element.kind === 'struct') {
      const encode = (inner: string) => `encode${elementTypeText(field)}(writer, ${inner}, version)`;
      if (!holdsNull(field)) return [`${indent}${encode(value)};`];
      return this.withNull(field, indent, (nullable) =>
        nullable
          ? `if (writer.${field.tag === null ? 'presence' : 'tagPresence'}(${value})) ${encode(value)};`
          : `${encode(this.argument(field, false))};`,
      );
    }
    const { primitive } = field.element;
    if (!variableWriters.has(primitive)) return [`${indent}writer.${primitive}(${value});`];
    return this.withNull(field, indent, (nullable) => {
      const write = (compact: boolean) =>
        `writer.${methodName(primitive, compact, nullable)}(${this.argument(field, nullable)})`;
      return statement(how, write(true), write(false));
    });
  }

  private array(field: Field, how: Flexibility, indent: string): string[] {
    const value = `message.${field.name}`;
    const lines = this.withNull(field, indent, (nullable) => {
      const write = (compact: boolean) =>
        `writer.${methodName('arrayLength', compact, nullable)}(${this.argument(field, nullable)})`;
      return statement(how, write(true), write(false));
    });
    const items = holdsNull(field) ? `${value} ?? []` : value;
    return [...lines, `${indent}for (const item of ${items}) ${this.item(field, how)}`];
  }

  private item(field: Field, how: Flexibility): string {
    if (field.element.kind === 'struct') return `encode${elementTypeText(field)}(writer, item, version);`;
    const { primitive } = field.element;
    if (!variableWriters.has(primitive)) return `writer.${primitive}(item);`;
    const write = (compact: boolean) => `writer.${methodName(primitive, compact, false)}(item)`;
    return statement(how, write(true), write(false));
  }

  /** The value as an argument; where its type has null and the version has not, with a test. */
  private argument(field: Field, nullable: boolean): string {
    const value = `message.${field.name}`;
    return nullable || !holdsNull(field) ? value : `notNull(${value}, '${this.struct.name}.${field.name}')`;
  }

  private withNull(field: Field, indent: string, form: (nullable: boolean) => string): string[] {
    if (field.nullable === null) return [indent + form(false)];
    const condition = versionCondition(field.nullable, field.versions);
    if (condition === null) return [indent + form(true)];
    return [
      `${indent}if (${condition}) {`,
      `${indent}  ${form(true)}`,
      `${indent}} else {`,
      `${indent}  ${form(false)}`,
      `${indent}}`,
    ];
  }

  private tags(): string[] {
    const tagged = this.struct.fields
      .filter((field) => field.tag !== null)
      .sort((left, right) => left.tag! - right.tag!);
    const lines: string[] = [];
    for (const field of tagged) lines.push(...this.absentTag(field));
    if (this.how === 'never') return lines;
    const open = this.how === 'mixed';
    if (tagged.length === 0) return [...lines, open ? '  if (flexible) writer.uvarint(0);' : '  writer.uvarint(0);'];
    const indent = open ? '    ' : '  ';
    if (open) lines.push('  if (flexible) {');
    lines.push(`${indent}let tags = 0;`);
    const known = {
      low: Math.max(this.struct.versions.low, this.message.firstFlexible),
      high: this.struct.versions.high,
    };
    for (const field of tagged)
      lines.push(
        `${indent}const has${capital(field.name)} = ${this.presentTag(field, known)};`,
        `${indent}if (has${capital(field.name)}) tags++;`,
      );
    lines.push(`${indent}writer.uvarint(tags);`);
    for (const field of tagged)
      lines.push(
        `${indent}if (has${capital(field.name)}) {`,
        `${indent}  const mark = writer.beginTag(${field.tag});`,
        ...this.value({ ...field, versions: intersect(field.versions, known)! }, 'always', `${indent}  `),
        `${indent}  writer.endTag(mark);`,
        `${indent}}`,
      );
    if (open) lines.push('  }');
    return lines;
  }

  private presentTag(field: Field, known: { low: number; high: number }): string {
    const condition = versionCondition(field.versions, known);
    const test = isDefault(field, `message.${field.name}`);
    const present =
      / [=!]== | && /.test(test) || test.includes('.length')
        ? negate(test)
        : test.startsWith('!')
          ? test.slice(1)
          : `!${test}`;
    return condition === null ? present : `${condition} && ${present}`;
  }

  private absentTag(field: Field): string[] {
    const condition = versionCondition(field.versions, this.struct.versions);
    if (condition === null || field.ignorable) return [];
    const test = isDefault(field, `message.${field.name}`);
    return [`  if (!(${condition})) assert(${test}, '${this.struct.name}.${field.name} in a version without it');`];
  }
}

function negate(test: string): string {
  return test.includes('&&') ? `!${test}` : test.replace(' === ', ' !== ');
}

function statement(how: Flexibility, flexible: string, classic: string): string {
  if (how !== 'mixed') return `${choose(how, flexible, classic)};`;
  return `if (flexible) ${flexible}; else ${classic};`;
}

function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}

export function emitEncode(message: Message, struct: Struct): string[] {
  return new StructEncoder(message, struct).emit();
}

/** The structs whose default has to be recognised: fields of that type are tagged, or a version lacks them. */
export function structsNeedingDefaultTest(message: Message): Set<Struct> {
  const needed = new Set<Struct>();
  const add = (struct: Struct): void => {
    needed.add(struct);
    for (const field of struct.fields) if (isPlainStruct(field)) add(field.element.struct);
  };
  for (const struct of structsOf(message))
    for (const field of struct.fields)
      if (isPlainStruct(field) && (field.tag !== null || !(field.ignorable || covers(field.versions, struct.versions))))
        add(field.element.struct);
  return needed;
}

function isPlainStruct(field: Field): field is Field & { element: { kind: 'struct'; struct: Struct } } {
  return field.element.kind === 'struct' && !field.isArray && field.defaultText !== 'null';
}

export function emitDefaultTest(struct: Struct): string[] {
  const tests = struct.fields.map((field) => isDefault(field, `value.${field.name}`));
  return [`function isDefault${struct.name}(value: ${struct.name}): boolean {`, `  return ${tests.join(' && ')};`, '}'];
}
