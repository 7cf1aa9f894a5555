// Declares the one name of this framework that ATen/mps/MPSStream.h uses. Never linked or shipped.
#pragma once
#import <Metal/Metal.h>

@class MPSCommandBuffer;
