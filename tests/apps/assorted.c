// SPDX-License-Identifier: Apache-2.0
// An OpenCL application with all kinds of arguments: it runs the kernels that it is given by name, and
// prints a checksum of what each leaves.
//
//     assorted [blend|draw|fold|move|address|pick|fixed|stride|offset|parts|shared|odd|many|small]...
//
// The folder with assorted.cl is the current one.  `offset` is a launch with a global offset, `parts`
// one of a program that is compiled and linked, with a fixed work-group, `shared` one on overlapping
// sub-buffers, `odd` is blend with a rare format, `many` are launches of 16,400 sizes, `small` 20,000
// launches of a small kernel.  ASSORTED_OPTIONS are other options of the build.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, WIDTH = 16, HEIGHT = 8 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_int code;

static void check(const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "assorted: %s failed: %d\n", what, code);
    exit(1);
}

static void open_device(void)
{
    cl_platform_id platform;

    code = clGetPlatformIDs(1, &platform, NULL);
    check("clGetPlatformIDs");
    code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    check("clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check("clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &code);
    check("clCreateCommandQueue");
}

static void build(void)
{
    static char text[1 << 16];
    const char *source = text;
    const char *options = getenv("ASSORTED_OPTIONS");
    FILE *file = fopen("assorted.cl", "rb");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

    if (file)
        fclose(file);
    program = clCreateProgramWithSource(context, 1, &source, &length, &code);
    check("clCreateProgramWithSource");
    code = clBuildProgram(program, 1, &device, options ? options : "-I .  -cl-mad-enable",
                          NULL, NULL);
    check("clBuildProgram");
}

static cl_kernel kernel_of(const char *name)
{
    cl_kernel kernel = clCreateKernel(program, name, &code);

    check(name);
    return kernel;
}

static cl_mem buffer(size_t bytes, const void *contents)
{
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                (void *)(uintptr_t)contents, &code);

    check("clCreateBuffer");
    return mem;
}

static void launch(cl_kernel kernel, size_t items, size_t group, size_t offset)
{
    code = clEnqueueNDRangeKernel(queue, kernel, 1, offset ? &offset : NULL, &items,
                                  group ? &group : NULL, 0, NULL, NULL);
    check("clEnqueueNDRangeKernel");
}

static void show(const char *name, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t checksum = 14695981039346656037u;

    for (size_t i = 0; i < size; i++)
        checksum = (checksum ^ at[i]) * 1099511628211u;
    printf("%s %016llx\n", name, (unsigned long long)checksum);
}

static void show_buffer(const char *name, cl_mem mem, size_t size)
{
    void *bytes = malloc(size);

    code = clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, size, bytes, 0, NULL, NULL);
    check("clEnqueueReadBuffer");
    show(name, bytes, size);
    free(bytes);
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    code = clSetKernelArg(kernel, index, size, value);
    check("clSetKernelArg");
}

static void run_blend(cl_channel_type channel)
{
    static float pixels[WIDTH * HEIGHT * 4];
    const cl_float4 weights = {{0.5f, 1, 2, 0.25f}};
    const cl_image_format format = {CL_RGBA, channel};
    const size_t size[3] = {WIDTH, HEIGHT, 1};
    const size_t origin[3] = {0, 0, 0};
    cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                           .image_width = WIDTH,
                           .image_height = HEIGHT};
    cl_kernel kernel = kernel_of("blend");
    cl_mem images[2];
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
                                         CL_FILTER_NEAREST, &code);

    check("clCreateSampler");
    for (size_t i = 0; i < WIDTH * HEIGHT * 4; i++)
        pixels[i] = (float)i / 7;
    images[0] = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format,
                              &shape, pixels, &code);
    check("clCreateImage");
    images[1] = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &shape, NULL, &code);
    check("clCreateImage");
    set(kernel, 0, sizeof(cl_mem), &images[0]);
    set(kernel, 1, sizeof(cl_mem), &images[1]);
    set(kernel, 2, sizeof(sampler), &sampler);
    set(kernel, 3, sizeof(weights), &weights);
    code = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL);
    check("clEnqueueNDRangeKernel");
    code = clEnqueueReadImage(queue, images[1], CL_TRUE, origin, size, 0, 0, pixels, 0,
                              NULL, NULL);
    check("clEnqueueReadImage");
    show("blend", pixels, sizeof(pixels));
}

static cl_mem image(cl_mem_object_type type, const cl_image_format *format,
                    cl_mem_flags flags, const void *pixels)
{
    const cl_image_desc shape = {
        .image_type = type,
        .image_width = type == CL_MEM_OBJECT_IMAGE1D ? ITEMS : WIDTH,
        .image_height = type == CL_MEM_OBJECT_IMAGE1D ? 0 : HEIGHT};
    cl_mem mem = clCreateImage(context, flags | (pixels ? CL_MEM_COPY_HOST_PTR : 0),
                               format, &shape, (void *)(uintptr_t)pixels, &code);

    check("clCreateImage");
    return mem;
}

/* Images as outputs, of which the host may not read one. */
static void run_draw(void)
{
    static float pixels[ITEMS * 4];
    cl_uint rows[WIDTH * HEIGHT];
    float values[ITEMS];
    const size_t size[3] = {WIDTH, HEIGHT, 1};
    const size_t length[3] = {ITEMS, 1, 1};
    const size_t origin[3] = {0, 0, 0};
    const cl_image_format reals = {CL_RGBA, CL_FLOAT};
    const cl_image_format integers = {CL_R, CL_UNSIGNED_INT32};
    cl_kernel kernel = kernel_of("draw");
    cl_mem in;
    cl_mem images[3];

    for (cl_uint i = 0; i < WIDTH * HEIGHT; i++)
        rows[i] = 1000 + i;
    for (int i = 0; i < ITEMS; i++)
        values[i] = 1.0f / (float)(i + 1);
    in = buffer(sizeof(values), values);
    images[0] = image(CL_MEM_OBJECT_IMAGE1D, &reals, CL_MEM_WRITE_ONLY, NULL);
    images[1] = image(CL_MEM_OBJECT_IMAGE2D, &integers, CL_MEM_HOST_NO_ACCESS, rows);
    images[2] = image(CL_MEM_OBJECT_IMAGE2D, &integers, 0, NULL);
    set(kernel, 0, sizeof(cl_mem), &in);
    set(kernel, 1, sizeof(cl_mem), &images[0]);
    set(kernel, 2, sizeof(cl_mem), &images[1]);
    for (int n = 0; n < 20; n++)
        launch(kernel, ITEMS, 1, 0);
    code = clEnqueueReadImage(queue, images[0], CL_TRUE, origin, length, 0, 0, pixels, 0,
                              NULL, NULL);
    check("clEnqueueReadImage");
    code = clEnqueueCopyImage(queue, images[1], images[2], origin, origin, size, 0, NULL,
                              NULL);
    check("clEnqueueCopyImage");
    code = clEnqueueReadImage(queue, images[2], CL_TRUE, origin, size, 0, 0, rows, 0,
                              NULL, NULL);
    check("clEnqueueReadImage");
    show("line", pixels, sizeof(pixels));
    show("rows", rows, sizeof(rows));
}

static void run_fold(void)
{
    float values[ITEMS];
    cl_kernel kernel = kernel_of("fold");
    cl_mem in;
    cl_mem sums;

    for (int i = 0; i < ITEMS; i++)
        values[i] = 1.0f / (float)(i + 1);
    in = buffer(sizeof(values), values);
    sums = buffer(sizeof(values), values);
    set(kernel, 0, sizeof(in), &in);
    set(kernel, 1, sizeof(sums), &sums);
    set(kernel, 2, 8 * sizeof(float), NULL);
    launch(kernel, ITEMS, 8, 0);
    show_buffer("fold", sums, ITEMS / 8 * sizeof(float));
}

static void run_move(void)
{
    struct {
        float at[4];
        int kind[4];
    } particles[ITEMS];
    const struct {
        char sign;
        float width;
    } step = {-1, 0.5f};
    const cl_short2 shift = {{3, -2}};
    cl_kernel kernel = kernel_of("move");
    cl_mem mem;

    memset(particles, 0, sizeof(particles));
    mem = buffer(sizeof(particles), particles);
    set(kernel, 0, sizeof(mem), &mem);
    set(kernel, 1, sizeof(step), &step);
    set(kernel, 2, sizeof(shift), &shift);
    set(kernel, 3, sizeof(cl_mem), NULL);
    launch(kernel, ITEMS, 4, 0);
    launch(kernel, ITEMS, 4, 0);
    show_buffer("move", mem, sizeof(particles));
}

static void run_address(void)
{
    uint64_t values[ITEMS] = {0};
    cl_kernel kernel = kernel_of("address");
    cl_mem mem = buffer(sizeof(values), values);

    set(kernel, 0, sizeof(mem), &mem);
    launch(kernel, ITEMS, 0, 0);
    clFinish(queue);
    printf("address\n");
}

/* The numbers are small in the first launch alone. */
static void run_pick(size_t items, int launches, size_t offset)
{
    float *values = calloc(items, sizeof(*values));
    cl_kernel kernel = kernel_of("pick");
    cl_mem in = buffer(items * sizeof(*values), values);
    cl_mem out = buffer(items * sizeof(*values), values);

    set(kernel, 0, sizeof(in), &in);
    set(kernel, 1, sizeof(out), &out);
    for (int n = 0; n < launches; n++) {
        for (size_t i = 0; i < items; i++)
            values[i] = (float)(i % 7) / 14 + (n && i % 7 == 6 ? 1 : 0);
        code = clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, items * sizeof(*values),
                                    values, 0, NULL, NULL);
        check("clEnqueueWriteBuffer");
        launch(kernel, items - offset, 1, offset);
    }
    show_buffer(offset ? "offset" : "pick", out, items * sizeof(*values));
    free(values);
}

static void run_fixed(void)
{
    int values[ITEMS] = {0};
    cl_kernel kernel = kernel_of("fixed_group");
    cl_mem mem = buffer(sizeof(values), values);

    set(kernel, 0, sizeof(mem), &mem);
    launch(kernel, ITEMS, 16, 0);
    show_buffer("fixed", mem, sizeof(values));
}

static void run_stride(void)
{
    int values[16 * ITEMS] = {0};
    const cl_int items = 16 * ITEMS;
    cl_kernel kernel = kernel_of("stride");
    cl_mem mem = buffer(sizeof(values), values);

    set(kernel, 0, sizeof(mem), &mem);
    set(kernel, 1, sizeof(items), &items);
    for (int n = 0; n < 20; n++)
        launch(kernel, 16 * ITEMS, 1, 0);
    show_buffer("stride", mem, sizeof(values));
}

static void launch_part(cl_program linked, const char *name)
{
    int values[ITEMS] = {0};
    cl_mem mem = buffer(sizeof(values), values);
    cl_kernel kernel = clCreateKernel(linked, name, &code);

    check("clCreateKernel");
    set(kernel, 0, sizeof(mem), &mem);
    launch(kernel, ITEMS, 16, 0);
    show_buffer("parts", mem, sizeof(values));
}

/* Compiled and linked: from one source, and from two. */
static void run_parts(void)
{
    const char *texts[] = {
        "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void part(\n"
        "    __global int *out) { out[get_global_id(0)] = FILL; }",
        "__kernel void mixed(__global int *out) { out[get_global_id(0)] = 6; }"};
    cl_program parts[2];
    cl_program whole;

    for (size_t i = 0; i < 2; i++) {
        parts[i] = clCreateProgramWithSource(context, 1, &texts[i], NULL, &code);
        code = clCompileProgram(parts[i], 1, &device, "-D FILL=5", 0, NULL, NULL, NULL,
                                NULL);
        check("clCompileProgram");
    }
    for (cl_uint count = 1; count <= 2; count++) {
        whole = clLinkProgram(context, 1, &device, "", count, parts, NULL, NULL, &code);
        check("clLinkProgram");
        launch_part(whole, count == 1 ? "part" : "mixed");
    }
}

static void run_shared(void)
{
    float values[4 * ITEMS] = {0};
    const cl_buffer_region regions[2] = {{0, 2 * ITEMS * sizeof(float)},
                                         {128, 2 * ITEMS * sizeof(float)}};
    cl_kernel kernel = kernel_of("pick");
    cl_mem whole = buffer(sizeof(values), values);

    for (cl_uint i = 0; i < 2; i++) {
        cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE,
                                        CL_BUFFER_CREATE_TYPE_REGION, &regions[i], &code);

        check("clCreateSubBuffer");
        set(kernel, i, sizeof(part), &part);
    }
    launch(kernel, ITEMS, 1, 0);
    show_buffer("shared", whole, sizeof(values));
}

/* Another size in each launch. */
static void run_many(void)
{
    int values[ITEMS] = {0};
    const cl_int items = ITEMS;
    cl_kernel kernel = kernel_of("stride");
    cl_mem mem = buffer(sizeof(values), values);

    set(kernel, 0, sizeof(mem), &mem);
    set(kernel, 1, sizeof(items), &items);
    for (size_t n = 1; n <= 16400; n++)
        launch(kernel, n, 1, 0);
    show_buffer("many", mem, sizeof(values));
}

static void run_small(void)
{
    int values[ITEMS] = {0};
    cl_kernel kernel = kernel_of("fixed_group");
    cl_mem mem = buffer(sizeof(values), values);

    set(kernel, 0, sizeof(mem), &mem);
    for (int i = 0; i < 20000; i++)
        launch(kernel, 16, 16, 0);
    show_buffer("small", mem, sizeof(values));
}

int main(int argc, char **argv)
{
    open_device();
    build();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "blend") == 0)
            run_blend(CL_FLOAT);
        else if (strcmp(argv[i], "draw") == 0)
            run_draw();
        else if (strcmp(argv[i], "fold") == 0)
            run_fold();
        else if (strcmp(argv[i], "move") == 0)
            run_move();
        else if (strcmp(argv[i], "address") == 0)
            run_address();
        else if (strcmp(argv[i], "pick") == 0)
            run_pick((size_t)1 << 14, 20, 0);
        else if (strcmp(argv[i], "offset") == 0)
            run_pick(ITEMS, 1, 8);
        else if (strcmp(argv[i], "fixed") == 0)
            run_fixed();
        else if (strcmp(argv[i], "stride") == 0)
            run_stride();
        else if (strcmp(argv[i], "parts") == 0)
            run_parts();
        else if (strcmp(argv[i], "shared") == 0)
            run_shared();
        else if (strcmp(argv[i], "odd") == 0)
            run_blend(CL_SNORM_INT8);
        else if (strcmp(argv[i], "many") == 0)
            run_many();
        else if (strcmp(argv[i], "small") == 0)
            run_small();
    }
    return 0;
}
