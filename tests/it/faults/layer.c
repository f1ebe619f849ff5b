// A Vulkan layer that reports an adapter as hardware and injects faults. The tests compile it with the C compiler that they find
// (`cc -shared -fPIC`) and load it into the program under test. It needs no Vulkan headers: the parts of the API that it
// uses are declared below, as in the specification and the loader's interface.
//
// Environment variables:
//   LAYER_HARDWARE=1           adapters are reported as discrete GPUs, whatever they are
//   LAYER_PIPELINES=1          each pipeline is named on standard error when it is created
//   LAYER_FAIL_PIPELINE=NAME   creating a pipeline of this entry point fails
//   LAYER_FAIL_SUBMIT=N        the N-th submission and all after it fail: the device is lost
//   LAYER_FAIL_DEVICE=1        opening a device fails
//   LAYER_HANG=instance        listing adapters never returns
//   LAYER_HANG=device          opening a device never returns
//   LAYER_HANG=pipeline        creating a pipeline never returns
//   LAYER_HANG=NAME            creating a pipeline of this entry point never returns

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef int32_t Result;
typedef void (*Function)(void);
typedef Function (*GetInstanceFunction)(void *instance, const char *name);
typedef Function (*GetDeviceFunction)(void *device, const char *name);

enum {
    SUCCESS = 0,
    ERROR_INITIALIZATION_FAILED = -3,
    ERROR_DEVICE_LOST = -4,
    ERROR_INVALID_SHADER = -1000012000,
    LOADER_INSTANCE_CREATE_INFO = 47,
    LOADER_DEVICE_CREATE_INFO = 48,
    LAYER_LINK_INFO = 0,
    DISCRETE_GPU = 2,
};

// The first members of every extensible structure.
typedef struct Head {
    int32_t type;
    const struct Head *next;
} Head;

// The chain that the loader passes through the layers when an instance or a device is created.
typedef struct Link {
    struct Link *next;
    GetInstanceFunction get_instance;
    GetDeviceFunction get_device; // for a device; an instance's link has another member here, which is not used
} Link;

typedef struct {
    int32_t type;
    const void *next;
    int32_t function;
    Link *link;
} LinkInfo;

typedef struct {
    int32_t type;
    void *next;
    uint32_t version;
    GetInstanceFunction get_instance;
    GetDeviceFunction get_device;
    void *get_physical_device;
} Negotiation;

// VkPhysicalDeviceProperties up to the type of the device.
typedef struct {
    uint32_t api, driver, vendor, device;
    int32_t type;
} Properties;

typedef struct {
    int32_t type;
    void *next;
    Properties properties;
} Properties2;

// VkComputePipelineCreateInfo with its stage.
typedef struct {
    int32_t type;
    const void *next;
    uint32_t flags;
    struct {
        int32_t type;
        const void *next;
        uint32_t flags;
        int32_t stage;
        uint64_t module;
        const char *name;
        const void *specialization;
    } stage;
    uint64_t layout, base;
    int32_t base_index;
} ComputePipeline;

static GetInstanceFunction next_instance;
static void (*next_properties)(void *physical, Properties *found);
static void (*next_properties2)(void *physical, Properties2 *found);
static Result (*next_create_device)(void *physical, const void *info, const void *allocator, void **created);
static GetDeviceFunction next_device;
static Result (*next_submit)(void *queue, uint32_t count, const void *submits, uint64_t fence);

static int is_set(const char *variable, const char *value) {
    const char *found = getenv(variable);
    return found && !strcmp(found, value);
}

static void hang(const char *where) {
    while (is_set("LAYER_HANG", where))
        pause();
}

static LinkInfo *link_of(const void *info, int32_t type) {
    for (const Head *at = ((const Head *)info)->next; at; at = at->next)
        if (at->type == type && ((LinkInfo *)at)->function == LAYER_LINK_INFO)
            return (LinkInfo *)at;
    return NULL;
}

static Result create_instance(const void *info, const void *allocator, void **created) {
    hang("instance");
    LinkInfo *own = link_of(info, LOADER_INSTANCE_CREATE_INFO);
    if (!own)
        return ERROR_INITIALIZATION_FAILED;
    next_instance = own->link->get_instance;
    own->link = own->link->next;
    Result (*next)(const void *, const void *, void **) = (void *)next_instance(NULL, "vkCreateInstance");
    Result result = next(info, allocator, created);
    if (result == SUCCESS) {
        next_properties = (void *)next_instance(*created, "vkGetPhysicalDeviceProperties");
        next_properties2 = (void *)next_instance(*created, "vkGetPhysicalDeviceProperties2");
        next_create_device = (void *)next_instance(*created, "vkCreateDevice");
    }
    return result;
}

static Result create_device(void *physical, const void *info, const void *allocator, void **created) {
    hang("device");
    LinkInfo *own = link_of(info, LOADER_DEVICE_CREATE_INFO);
    if (!own || is_set("LAYER_FAIL_DEVICE", "1"))
        return ERROR_INITIALIZATION_FAILED;
    next_device = own->link->get_device;
    own->link = own->link->next;
    Result result = next_create_device(physical, info, allocator, created);
    if (result == SUCCESS)
        next_submit = (void *)next_device(*created, "vkQueueSubmit");
    return result;
}

static void properties(void *physical, Properties *found) {
    next_properties(physical, found);
    if (is_set("LAYER_HARDWARE", "1"))
        found->type = DISCRETE_GPU;
}

static void properties2(void *physical, Properties2 *found) {
    next_properties2(physical, found);
    if (is_set("LAYER_HARDWARE", "1"))
        found->properties.type = DISCRETE_GPU;
}

static Result create_pipelines(void *device, uint64_t cache, uint32_t count, const ComputePipeline *infos,
                               const void *allocator, uint64_t *created) {
    hang("pipeline");
    for (uint32_t i = 0; i < count; i++) {
        hang(infos[i].stage.name);
        if (is_set("LAYER_PIPELINES", "1"))
            fprintf(stderr, "pipeline %s\n", infos[i].stage.name);
        if (is_set("LAYER_FAIL_PIPELINE", infos[i].stage.name))
            return ERROR_INVALID_SHADER;
    }
    Result (*next)(void *, uint64_t, uint32_t, const ComputePipeline *, const void *, uint64_t *) =
        (void *)next_device(device, "vkCreateComputePipelines");
    return next(device, cache, count, infos, allocator, created);
}

static Result submit(void *queue, uint32_t count, const void *submits, uint64_t fence) {
    static int submissions;
    const char *last = getenv("LAYER_FAIL_SUBMIT");
    if (last && __atomic_add_fetch(&submissions, 1, __ATOMIC_SEQ_CST) >= atoi(last))
        return ERROR_DEVICE_LOST;
    return next_submit(queue, count, submits, fence);
}

static Function get_device(void *device, const char *name);
static Function get_instance(void *of, const char *name);

static const struct {
    const char *name;
    Function function;
    int of_device;
} REPLACED[] = {
    {"vkGetInstanceProcAddr", (Function)get_instance, 0},
    {"vkGetDeviceProcAddr", (Function)get_device, 1},
    {"vkCreateInstance", (Function)create_instance, 0},
    {"vkCreateDevice", (Function)create_device, 0},
    {"vkGetPhysicalDeviceProperties", (Function)properties, 0},
    {"vkGetPhysicalDeviceProperties2", (Function)properties2, 0},
    {"vkGetPhysicalDeviceProperties2KHR", (Function)properties2, 0},
    {"vkCreateComputePipelines", (Function)create_pipelines, 1},
    {"vkQueueSubmit", (Function)submit, 1},
};

static Function replaced(const char *name, int of_device) {
    for (size_t i = 0; i < sizeof REPLACED / sizeof *REPLACED; i++)
        if (REPLACED[i].of_device >= of_device && !strcmp(name, REPLACED[i].name))
            return REPLACED[i].function;
    return NULL;
}

static Function get_device(void *device, const char *name) {
    Function own = replaced(name, 1);
    return own ? own : next_device(device, name);
}

static Function get_instance(void *of, const char *name) {
    Function own = replaced(name, 0);
    return own ? own : next_instance ? next_instance(of, name) : NULL;
}

EXPORT Result vkNegotiateLoaderLayerInterfaceVersion(Negotiation *negotiation) {
    negotiation->version = 2;
    negotiation->get_instance = get_instance;
    negotiation->get_device = get_device;
    negotiation->get_physical_device = NULL;
    return SUCCESS;
}
